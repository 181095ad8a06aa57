"""Memory shared with the binary.

On Linux it is anonymous (memfd): it needs no folder, is not limited by the size of /dev/shm, and is freed when
both processes have ended in any way. Otherwise it is a temporary file, whose name is removed at once on POSIX,
and when the file is closed on Windows.
"""

from __future__ import annotations

import itertools
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ._errors import LambdaMARTError, warn

WINDOWS = os.name == "nt"


class Memory:
    """Bytes that both processes map. `passed` describes the file for the binary."""

    window: "Window | None" = None  # of arrays: through which their matrix is read; None: it is in this memory

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


class Window(Memory):
    """Memory through which the binary reads a matrix, some of its rows or columns at a time: it asks (package
    internal/arrays), and `show` copies them.

    copy: copies rows and columns of the matrix to an array. by_column: in the window, columns lie one after the other.
    size: wanted number of bytes. The window is smaller if the matrix is, and larger if it needs that for 64 rows.
    """

    def __init__(self, copy: Callable[[np.ndarray, Any, slice], None], rows: int, columns: int, dtype: Any, by_column: bool, size: int) -> None:
        self.copy, self.dtype, self.by_column = copy, np.dtype(dtype), by_column
        self.number = next(WINDOWS_MADE)
        self._choice = np.empty(0, dtype=np.int64)  # numbers of rows that the binary has chosen
        row = columns * self.dtype.itemsize
        super().__init__(min(rows * row, max(size, 64 * row)))

    @property
    def described(self) -> dict[str, Any]:
        return {"set": self.number, "path": opened(self), "size": self.size, "single": self.dtype == np.float32, "by_column": self.by_column}

    def show(self, asked: dict[str, Any], choice: bytes) -> None:
        """Copies the rows and columns that the binary asks for. choice: the numbers of rows that it chooses from now on."""
        if choice:
            self._choice = np.frombuffer(choice, dtype="<i8")
        (first, end), (left, right) = asked["rows"], asked["columns"]
        rows = self._choice[first:end] if asked["chosen"] else slice(first, end)
        n, columns = end - first, right - left
        assert self.map is not None
        target = np.frombuffer(self.map, dtype=self.dtype, count=n * columns)
        target = target.reshape(columns, n).T if self.by_column else target.reshape(n, columns)
        self.copy(target, rows, slice(left, right))

    def close(self) -> None:
        super().close()
        self._choice = np.empty(0, dtype=np.int64)  # 8 bytes for each row from which bins are found


class SparseWindow(Window):
    """The window of a sparse matrix in compressed rows: it has values of rows, and behind them the columns of these values."""

    def __init__(self, x: Any, dtype: Any, size: int) -> None:
        self.x = x
        a_value = np.dtype(dtype).itemsize + 4
        longest = int(np.diff(x.indptr).max())
        self.dtype, self.by_column = np.dtype(dtype), False
        self.number = next(WINDOWS_MADE)
        Memory.__init__(self, a_value * min(x.nnz, max(longest, size // a_value)) + 8)

    def show(self, asked: dict[str, Any], choice: bytes) -> None:
        first, end = (int(self.x.indptr[row]) for row in asked["rows"])
        assert self.map is not None
        behind = -(-(end - first) * self.dtype.itemsize // 8) * 8
        np.copyto(np.ndarray(end - first, self.dtype, self.map), self.x.data[first:end], casting="unsafe")
        np.copyto(np.ndarray(end - first, np.int32, self.map, behind), self.x.indices[first:end], casting="unsafe")


WINDOWS_MADE = itertools.count(1)


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
