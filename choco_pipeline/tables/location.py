"""Locations of stored bytes: a local folder, or a prefix in an object store."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from zarr.abc.buffer import Buffer
from zarr.abc.store import Store
from zarr.storage import LocalStore, ObjectStore

from choco_pipeline.documents.files import reason_of, write_whole
from choco_pipeline.errors import StoreError, require_package

#: Folder of results; a ``file://`` URL must be inside it.
RESULTS = Path("results")
#: Schemes of URLs.
SCHEMES = ("s3", "gs", "az", "file")

_PATH = re.compile(r"[A-Za-z0-9._=/-]+", re.ASCII)
_LOGIN = re.compile(r"//\S*@")
_QUERY = re.compile(r"[?#][^\s\"']*")
#: The address from which drivers request credentials of the machine's role.
_ROLES = "//169.254.169.254/"
_REASON = re.compile(r"<Message>([^<]*)</Message>")


class _ObjectStore(ObjectStore[Any]):
    """Zarr's store, also for servers that ignore the condition of a conditional PUT."""

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        # Two requests are enough, because only one process at a time creates groups and arrays.
        await Store.set_if_not_exists(self, key, value)


@dataclass(frozen=True)
class Location:
    """A folder or object-store prefix with named byte strings.

    Names are relative paths with ``/``. A location is a small hashable value that can be sent to other processes. It opens
    nothing before a method is called. Create one by `Location.local` or `Location.of_url`.

    Every method except `child` and `store` raises `StoreError`, one line without secrets, if the folder or the object store
    cannot be used. ``with location.failures("table 5 cannot be read"):`` does the same for errors inside Zarr. The driver
    repeats requests after a failure of the network or the server (docs/object-stores.md).
    """

    #: A folder, or a URL without a slash at its end; a ``file://`` URL is a folder, too. It never has a login or a query
    #: string: the driver of the object store reads credentials from the environment.
    path: str

    @classmethod
    def local(cls, folder: Path) -> Location:
        """Return the location of a folder on this machine, which need not exist."""
        return cls(str(folder))

    @classmethod
    def of_url(cls, url: str) -> Location:
        """Return the location of a URL from a configuration or a manifest.

        Raises `StoreError` if `url` is not a URL of an object store, contains credentials, or is a ``file://`` URL outside of
        `RESULTS`.
        """
        scheme, _, rest = url.partition("://")
        path, why = rest.rstrip("/"), None
        if scheme not in SCHEMES or "://" not in url:
            why = f"needs the URL of an object store, as s3://bucket/prefix (one of {', '.join(SCHEMES)})"
        elif any(sign in path for sign in "@?#"):
            why = (
                "a URL may not hold a login or a query string: credentials come from the environment"
                " (docs/object-stores.md)"
            )
        elif not _PATH.fullmatch(path) or ".." in PurePosixPath(path).parts:
            why = f"needs a bucket and a prefix of letters, digits and . _ = - after {scheme}://"
        elif scheme == "file" and not Path(path).resolve().is_relative_to(RESULTS.resolve()):
            why = f"a folder of this machine must be inside {RESULTS.resolve()}"
        if why is not None:
            raise StoreError(f"{without_secrets(url)!r}: {why}")
        return cls(f"{scheme}://{path}")

    def __reduce__(self) -> tuple[type[Location], tuple[str]]:
        """Pickle only the path, because an open driver has credentials."""
        return Location, (self.path,)

    def __str__(self) -> str:
        """Return the folder or the URL; it has no secrets."""
        return self.path

    @property
    def folder(self) -> Path | None:
        """The folder, or None in an object store."""
        scheme, separator, rest = self.path.partition("://")
        if not separator:
            return Path(self.path)
        return Path(rest) if scheme == "file" else None

    def child(self, name: str) -> Location:
        """Return the location below `name`."""
        return Location(f"{self.path}/{_checked(name)}")

    def store(self) -> Store:
        """Return a Zarr store at this location; it creates its folder when needed."""
        return LocalStore(self.folder) if self.folder is not None else _ObjectStore(self._driver)

    def read(self, name: str) -> bytes:
        """Return the bytes of `name`; raise `StoreError` if it does not exist."""
        with self.failures(f"{name} cannot be read"):
            if self.folder is not None:
                return (self.folder / _checked(name)).read_bytes()
            return bytes(self._driver.get(_checked(name)).bytes())

    def read_if_there(self, name: str) -> bytes | None:
        """Return the bytes of `name`, or None if it does not exist."""
        try:
            return self.read(name)
        except StoreError as error:
            if isinstance(error.__context__, FileNotFoundError | NotADirectoryError):
                return None
            raise

    def write(self, name: str, content: bytes) -> None:
        """Write or replace `name` atomically."""
        with self.failures(f"{name} cannot be written", len(content)):
            if self.folder is not None:
                write_whole(self.folder / _checked(name), content)
            else:  # a single request is atomic
                self._driver.put(_checked(name), content, use_multipart=False)

    def remove(self, name: str) -> None:
        """Remove `name` and everything below it, if it exists."""
        with self.failures(f"{name} cannot be removed"), suppress(FileNotFoundError):
            if self.folder is None:
                names = [below for below, _ in self.files(name)]
                with suppress(FileNotFoundError):
                    self._driver.head(_checked(name))
                    names.append(name)
                self._driver.delete(names)
            elif (file := self.folder / _checked(name)).is_dir():
                shutil.rmtree(file)
            else:
                file.unlink()

    def files(self, name: str = "") -> Iterator[tuple[str, int]]:
        """Yield the names, sorted, and the sizes of all files below `name`."""
        sizes: dict[str, int] = {}
        with self.failures(f"{name or 'it'} cannot be listed"):
            if self.folder is not None:
                for file in (self.folder / _checked(name)).rglob("*"):
                    if file.is_file() and not file.name.endswith(".partial"):
                        sizes[file.relative_to(self.folder).as_posix()] = file.stat().st_size
            else:
                for some in self._driver.list(prefix=_checked(name) or None):
                    sizes |= {about["path"]: about["size"] for about in some}
        yield from sorted(sizes.items())

    @contextmanager
    def failures(self, what: str, needed: int | None = None) -> Iterator[None]:
        """Re-raise errors of the system and the driver as `StoreError`.

        Its message is one line without secrets: this location, `what`, the reason and, if the disk is full, the `needed` bytes.
        """
        try:
            yield
        except failures() as error:
            if isinstance(error, OSError) and self.folder is not None:
                why = reason_of(error, self.folder, needed)
            else:
                why = reason(error)
            raise StoreError(f"{self}: {what} ({why})") from None

    @cached_property
    def _driver(self) -> Any:
        """The driver of the object store; an endpoint's URL may be unencrypted http."""
        require_package("obstore", "object-store", self.path)
        from obstore.store import from_url  # noqa: PLC0415 -- an extra

        return from_url(self.path, client_options={"allow_http": True})


def failures() -> tuple[type[Exception], ...]:
    """Return the exception types of the operating system, and of a loaded driver."""
    driver = sys.modules.get("obstore.exceptions")
    return (OSError,) if driver is None else (OSError, driver.BaseError)


def reason(error: Exception) -> str:
    """Return the reason of a failure, as one line without secrets."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if _ROLES in str(error):
        return "no credentials in the environment, and this machine has no role that gives any"
    message = _REASON.search(str(error))
    line = message[1] if message else str(error).strip().partition("\n")[0].partition("<?xml")[0]
    return without_secrets(line).strip() or type(error).__name__


def without_secrets(text: str) -> str:
    """Return `text` without logins and query strings in URLs."""
    return _QUERY.sub("?…", _LOGIN.sub("//…@", text))


def _checked(name: str) -> str:
    if name.startswith("/") or ".." in PurePosixPath(name).parts:
        raise StoreError(f"{name!r}: a name in a store may not lead out of it")
    return name
