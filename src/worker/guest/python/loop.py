"""Time that moves by waiting alone: `time.sleep` and an event loop for asyncio that sleeps on the virtual clock.

Needs no stack switching: whoever waits runs the loop. Where nothing can happen any more the run ends as a deadlock.
"""

import asyncio
import asyncio.base_events
import asyncio.events
import select
import time


class Clock:
    """The shell's way to move the clock, given once for each interpreter; and why the run was stopped, where it was."""

    advance = None
    stopped = None
    turns = 0
    max_turns = 0


class Stopped(BaseException):
    """Ends a run that can go no further. What a program makes of it does not matter: `Clock.stopped` tells."""


def stop(answer):
    Clock.stopped = Clock.stopped or answer
    raise Stopped


def sleep(seconds, /):
    """Waits on the virtual clock, which costs no real time."""
    if not hasattr(type(seconds), "__index__") and not hasattr(type(seconds), "__float__"):
        raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer or float")
    amount = float(seconds)
    if amount != amount:
        raise ValueError("Invalid value NaN (not a number)")
    if amount < 0:
        raise ValueError("sleep length must be non-negative")
    Clock.advance(amount)


class Selector:
    """Nothing can arrive from outside: waiting is moving the clock to the next timer."""

    def select(self, timeout=None):
        if timeout is None:
            stop("D")
        if timeout > 0:
            Clock.turns += 1
            if Clock.turns > Clock.max_turns:
                stop("T")
            Clock.advance(timeout)
        return []

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    """The loop that asyncio makes here. It has no sockets, no processes, no threads and no signals."""

    def __init__(self):
        super().__init__()
        self._selector = Selector()

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """There are no threads: the call runs here and now, and its future is done."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def shutdown_default_executor(self, timeout=None):
        pass


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    """Gives a loop to whoever asks for one, as CPython did for long and programs still expect."""

    _loop_factory = Loop

    def get_event_loop(self):
        if self._local._loop is None:
            self.set_event_loop(self.new_event_loop())
        return self._local._loop


def wait_for_nothing(rlist, wlist, xlist, timeout=None):
    """`select.select`: no descriptor is ever ready, so that it is a sleep."""
    if timeout is None:
        stop("D")
    sleep(timeout)
    return [], [], []


def install_loop():
    time.sleep = sleep
    select.select = wait_for_nothing
    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.SelectorEventLoop = asyncio.EventLoop = Loop
