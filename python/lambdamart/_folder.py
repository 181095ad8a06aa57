"""Temporary folders for commands. Folders of a process that was killed are removed by the next one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where it is unknown whether a folder is still in use
    fcntl = None  # type: ignore[assignment]

PREFIX = "lambdamart-work-"


@contextmanager
def work_folder() -> Iterator[str]:
    """Makes a temporary folder, and removes it at the end."""
    remove_abandoned()
    folder, lock = _locked()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


def remove_abandoned() -> None:
    """Removes the folders of processes that have ended: the system releases the lock of a folder when its process ends."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # it is gone, belongs to another user, or is not a folder
            continue
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # it is in use, or the file system has no locks
            pass
        finally:
            os.close(lock)


def _locked() -> tuple[str, int]:
    """Creates a folder and locks it for this process and its forks. The second result is -1 if locks are unavailable."""
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        if fcntl is None:
            return folder, -1
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another process removed it before it was locked
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        except OSError:
            os.close(lock)
            return folder, -1
        if os.path.isdir(folder):
            return folder, lock
        os.close(lock)
