"""Memory that is shared with the binary.

On Linux it is anonymous (memfd): it needs no folder, is not limited by the size of /dev/shm, and is
gone when both processes are, however they end. Where that is not possible, it is a temporary file,
which has no name any more on POSIX; on Windows it has one until it is closed.
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
    """Bytes that both processes map. The binary gets `passed`, which describes the file."""

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
        """Makes the memory at least so large. Views of the old mapping must be gone."""
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
            except BufferError:  # a view remains, as in an exception's traceback: memory goes with it
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
    """A file that the binary writes and later processes of it read, such as binned data. It is gone with this object.

    On Linux it has no name: it is memory, or where that is not possible a temporary file.
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
        """Opens the file to be read from its beginning."""
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
    """Makes a file larger, and fails if there is no room: writing to a mapping would kill the process."""
    if hasattr(os, "posix_fallocate") and sys.platform == "linux":
        os.posix_fallocate(fd, size, new - size)
        return
    os.lseek(fd, size, os.SEEK_SET)
    block = bytes(1 << 20)
    while size < new:
        size += os.write(fd, block[: new - size])


def opened(file: Memory | File) -> str:
    """Returns the path by which the binary opens a file that it gets."""
    return file.path or (f"/proc/self/fd/{file.fd}" if os.path.isdir("/proc/self/fd") else f"/dev/fd/{file.fd}")
