"""Stand-ins for Python and its installers, for the script ./choco.

They lie on a PATH that holds nothing else but the few programs that the script needs. They make
the files that the real ones would, and record what they were asked for.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = ("cat", "chmod", "cksum", "cp", "dirname", "mkdir", "mv", "readlink", "rm")

# Answers for the interpreter itself, so that what the script calls next comes here, too.
PYTHON = """#!/bin/sh
case "$*" in
    *_base_executable*) echo "$0" ;;
    '-m pip --version') [ -z "${NO_PIP-}" ] ;;
    *'import ensurepip') [ -z "${NO_ENSUREPIP-}" ] ;;
    '-m venv'*) echo "venv: $*" >>"$CALLS" && mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    '-m pip install'*)
        echo "pip: $*" >>"$CALLS"
        while [ "$1" != --target ]; do shift; done
        mkdir -p "$2/bin"
        [ -z "${KILL_AT_PIP-}" ] || kill -9 "$PPID"
        cp "$UV_STAND_IN" "$2/bin/uv" ;;
    *) exec "$REAL_PYTHON" "$@" ;;
esac
"""
OLD_PYTHON = """#!/bin/sh
case "$1" in
    --version) echo 'Python 3.10.9' ;;
    *) exec "$REAL_PYTHON" -c "import sys; sys.version_info = (3, 10, 9)
$2" ;;
esac
"""
UV = """#!/bin/sh
[ "$1" != --version ] || exit 0
echo "uv: $*" >>"$CALLS"
case "$1 $2" in
    'venv --python')
        [ ! -e "$4" ] || { echo 'there is a .venv already'; exit 1; }
        mkdir -p "$4/bin"
        ln -s "$3" "$4/bin/python" ;;
    'pip sync')
        [ -z "${NO_NETWORK-}" ] || { echo 'dns error'; exit 1; }
        [ -z "${KILL_AT_SYNC-}" ] || kill -9 "$PPID"
        [ -z "${WAIT_FOR-}" ] || cat "$WAIT_FOR"
        mkdir -p "${UV_PYTHON%/bin/*}/lib/python3.11/site-packages/a_package" ;;
    'pip install')
        for name in choco pytest; do
            cp "$STARTED" "${UV_PYTHON%/*}/$name"
        done ;;
esac
"""
STARTED = """#!/bin/sh
[ -z "${PYTHONPATH+x}${PYTHONHOME+x}${VIRTUAL_ENV+x}${PYTHONDONTWRITEBYTECODE+x}" ] || echo unclean
! (: >&9) 2>/dev/null || echo 'still holding the lock'
printf '%s\\n' "${0##*/}" "$PWD" "${PATH%%:*}" "$@"
"""


@dataclass
class Clone:
    """A clone in a folder with a space in its name, and its machine."""

    root: Path
    programs: Path

    @property
    def calls(self) -> list[str]:
        """What the stand-ins were asked for since this was last read, without places."""
        record = self.programs.parent / "calls"
        lines = record.read_text().splitlines() if record.exists() else []
        record.unlink(missing_ok=True)
        return [line.replace(f"{self.root}/", "").replace(str(self.root), ".") for line in lines]

    @property
    def environment(self) -> dict[str, str]:
        """All that the script finds in its environment."""
        machine = self.programs.parent
        return {
            "PATH": str(self.programs),
            "CALLS": str(machine / "calls"),
            "REAL_PYTHON": sys.executable,
            "UV_STAND_IN": str(machine / "uv"),
            "STARTED": str(machine / "started"),
        }

    def command(self, *arguments: str, shell: str = "sh") -> list[str]:
        """Return the command line that starts this clone's script."""
        path = shutil.which(shell)
        assert path is not None
        return [path, str(self.root / "choco"), *arguments]

    def run(
        self, *arguments: str, shell: str = "sh", cwd: Path | None = None, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        """Start the script and wait; `extra` is added to its environment."""
        command, environment = self.command(*arguments, shell=shell), self.environment | extra
        return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)


def write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def make_clone(folder: Path) -> Clone:
    """Lay out a clone of the script alone, with short lock files, and its machine."""
    root, machine = folder / "a clone", folder / "machine"
    programs = machine / "bin"
    programs.mkdir(parents=True)
    for name in (*PROGRAMS, "ln"):  # ln is for the stand-ins
        program = shutil.which(name)
        assert program is not None, f"{name} is needed by ./choco"
        (programs / name).symlink_to(program)
    write_program(programs / "python3", PYTHON)
    write_program(programs / "uv", UV)
    write_program(machine / "uv", UV)
    write_program(machine / "started", STARTED)
    (root / "requirements").mkdir(parents=True)
    shutil.copy(ROOT / "choco", root)
    for name, text in {
        "pyproject.toml": "[project]\n",
        "requirements/run.txt": "# a comment\nnumpy==2.4.6 \\\n    --hash=sha256:0\n",
        "requirements/dev.txt": "numpy==2.4.6\npytest==9.0\nruff==0.15\n",
        "requirements/bootstrap.txt": "uv==0.13\n",
        "requirements/build.txt": "setuptools==84\n",
    }.items():
        (root / name).write_text(text)
    return Clone(root, programs)
