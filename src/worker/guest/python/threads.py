"""
What threading is where there is one thread: a lock that nobody can give back is a deadlock, a pool runs its calls at once.
Must not wait in real time: what waits moves the virtual clock, or ends the run.
"""

import concurrent.futures
import concurrent.futures.thread
import queue
import threading


class Lock:
    """A lock of one thread. To wait for it without an end is to wait for ever; with one, it is a sleep."""

    def __init__(self):
        self._is_held = False

    def acquire(self, blocking=True, timeout=-1):
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if self._is_held:
            if blocking and timeout == -1:
                stop("D")
            if blocking:
                wait(timeout)
            return False
        self._is_held = True
        return True

    def release(self):
        if not self._is_held:
            raise RuntimeError("release unlocked lock")
        self._is_held = False

    def locked(self):
        return self._is_held

    def __enter__(self):
        self.acquire()
        return True

    def __exit__(self, kind, error, trace):
        self.release()

    def _at_fork_reinit(self):
        self._is_held = False


class InlineExecutor(concurrent.futures.Executor):
    """A pool of threads where there are none: each call runs when it is submitted."""

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._shutdown = False
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn, /, *args, **kwargs):
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._shutdown = True


def install_threads():
    threading.Lock = threading._allocate_lock = Lock
    queue.SimpleQueue = queue._PySimpleQueue
    concurrent.futures.ThreadPoolExecutor = InlineExecutor
    concurrent.futures.thread.ThreadPoolExecutor = InlineExecutor
