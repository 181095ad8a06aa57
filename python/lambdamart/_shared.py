"""Memory shared with the binary.

On Linux it is anonymous (memfd): it needs no folder, is not limited by the size of /dev/shm, and is freed when
both processes have ended in any way. Otherwise it is a temporary file, whose name is removed at once on POSIX,
and when the file is closed on Windows.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import weakref
from typing import Any

from ._errors import LambdaMARTError, warn

WINDOWS = os.name == "nt"


class Memory:
    """Bytes that both processes map. `passed` describes the file for the binary."""

    def __init__(self, size: int) -> None:
        self.path = ""
        self.fd = -1
        self.size = 0
        self.map: mmap.mmap | None = None
        try:
            self._open(max(size, 1))
        except BaseException:
            self.close()
            raise

    def _open(self, size: int) -> None:
        if hasattr(os, "memfd_create"):
            try:
                self.fd = os.memfd_create("lambdamart", os.MFD_CLOEXEC)
                self.grow(size)
                return
            except OSError as error:
                self._close_fd()
                warn(f"no shared memory ({error.strerror or error}): arrays go through a temporary file in {tempfile.gettempdir()}, which may be slower")
        try:
            self.fd, self.path = tempfile.mkstemp(prefix="lambdamart-")
            if not WINDOWS:
                os.unlink(self.path)
                self.path = ""
            self.grow(size)
        except OSError as error:
            raise LambdaMARTError(f"{size:,} bytes for the arrays can be had neither in shared memory nor in a temporary file: {error}") from error

    def grow(self, size: int) -> None:
        """Makes the memory at least this large. Views of the old mapping must be released before."""
        if size <= self.size:
            return
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        if self.map is not None:
            self.map.close()
            self.map = None
        reserve(self.fd, self.size, size)
        self.map = mmap.mmap(self.fd, size)
        self.size = size

    @property
    def passed(self) -> dict[str, Any]:
        return {"path": self.path} if self.path else {"fd": self.fd}

    def _close_fd(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def close(self) -> None:
        if self.map is not None:
            try:
                self.map.close()
            except BufferError:  # a view remains, for example in a traceback: the memory is freed with it
                pass
            self.map = None
        self._close_fd()
        if self.path:
            try:
                os.unlink(self.path)
            except OSError:
                pass
            self.path = ""


class File:
    """A file that the binary writes and later processes read, such as binned data. It is deleted with this object.

    On Linux it has no name: it is in memory if possible, and otherwise a temporary file.
    """

    def __init__(self, content: bytes = b"") -> None:
        self.path = ""
        if sys.platform == "linux":
            self.fd = _nameless()
            with open(os.dup(self.fd), "wb") as f:
                f.write(content)
        else:
            self.fd, self.path = tempfile.mkstemp(prefix="lambdamart-")
            with open(self.fd, "wb") as f:
                f.write(content)
            self.fd = -1
        weakref.finalize(self, _discard, self.fd, self.path, os.getpid())

    @property
    def passed(self) -> dict[str, Any]:
        return {"path": self.path} if self.path else {"fd": self.fd}

    def open(self) -> Any:
        """Opens the file for reading from its beginning."""
        return open(self.path or f"/proc/self/fd/{self.fd}", "rb")

    def __reduce__(self) -> Any:
        with self.open() as f:
            return File, (f.read(),)


def _nameless() -> int:
    try:
        return os.memfd_create("lambdamart-binned", os.MFD_CLOEXEC)
    except OSError:
        with tempfile.TemporaryFile() as f:
            return os.dup(f.fileno())


def _discard(fd: int, path: str, owner: int) -> None:
    if fd >= 0:
        os.close(fd)
    if path and os.getpid() == owner:  # not in a fork
        try:
            os.unlink(path)
        except OSError:
            pass


def reserve(fd: int, size: int, new: int) -> None:
    """Enlarges a file and fails if there is no space; otherwise writing to the mapping would kill the process."""
    if hasattr(os, "posix_fallocate") and sys.platform == "linux":
        os.posix_fallocate(fd, size, new - size)
        return
    os.lseek(fd, size, os.SEEK_SET)
    block = bytes(1 << 20)
    while size < new:
        size += os.write(fd, block[: new - size])


def opened(file: Memory | File) -> str:
    """Returns the path under which the binary opens a file that is passed to it."""
    return file.path or (f"/proc/self/fd/{file.fd}" if os.path.isdir("/proc/self/fd") else f"/dev/fd/{file.fd}")
