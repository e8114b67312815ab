"""Time that moves by waiting alone: `time.sleep` and an event loop for asyncio that sleeps on the virtual clock.

Needs no stack switching: whoever waits runs the loop. Where nothing can happen any more the run ends as a deadlock.
"""

import asyncio
import asyncio.base_events
import asyncio.events
import heapq
import itertools
import select
import time


# Seconds: what CPython counts in nanoseconds of 64 bits.
TOO_LONG = 2**63 / 1e9


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


def wait(seconds):
    """Waits on the virtual clock, which costs no real time."""
    is_float = is_a(seconds, float)
    if not is_float and not hasattr(type(seconds), "__index__"):
        kind = type(seconds)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        raise TypeError(f"'{name}' object cannot be interpreted as an integer or float")
    amount = float(seconds)
    if amount != amount:
        raise ValueError("Invalid value NaN (not a number)")
    if abs(amount) >= TOO_LONG:
        kind = "out of range for platform time_t" if is_float else "too large to convert to C PyTime_t"
        raise OverflowError(f"timestamp {kind}")
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


class Timer(asyncio.events.TimerHandle):
    """Of two for the same moment the one that was set first comes first: elsewhere the clock has moved between them."""

    __slots__ = ("_place",)

    def __lt__(self, other):
        if self._when == getattr(other, "_when", None) and isinstance(other, Timer):
            return self._place < other._place
        return super().__lt__(other)


class Loop(asyncio.base_events.BaseEventLoop):
    """The loop that asyncio makes here. It has no sockets, no processes, no threads and no signals."""

    def __init__(self):
        super().__init__()
        self._selector = Selector()
        self._places = itertools.count()

    def call_at(self, when, callback, *args, context=None):
        if when is None:
            raise TypeError("when cannot be None")
        self._check_closed()
        if self._debug:
            self._check_callback(callback, "call_at")
        timer = Timer(when, callback, args, self, context)
        timer._place = next(self._places)
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

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


def sleep(_, seconds, /):
    wait(seconds)


def select_nothing(_, rlist, wlist, xlist, timeout=None, /):
    """No descriptor is ever ready, so that it is a sleep."""
    if timeout is None:
        stop("D")
    wait(timeout)
    return [], [], []


def install_loop():
    stand_in(time, "sleep", sleep)
    stand_in(select, "select", select_nothing)
    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    # Pyodide's looks for a loop that is never there, and stands among a program's frames.
    asyncio.run = asyncio.runners.run
    # A long wait is one timer here.
    asyncio.base_events.MAXIMUM_SELECT_TIMEOUT = TOO_LONG
    asyncio.SelectorEventLoop = asyncio.EventLoop = Loop
