"""What is done once, before the snapshot is taken: modules that programs import are loaded and the ways of a run are warm."""

import gc
import importlib
import io
import linecache
import re
import sys
import time
import typing
import warnings

from manifest_modules import read_modules
from manifest_names import PLAIN_MODULES

MODULES = """
abc array ast asyncio asyncio.base_events asyncio.queues asyncio.taskgroups asyncio.timeouts base64 bisect calendar
cmath collections collections.abc colorsys concurrent.futures contextlib contextvars copy csv dataclasses datetime
decimal difflib enum fractions functools graphlib hashlib heapq html importlib.resources inspect io itertools json keyword linecache
locale logging math numbers operator os.path pathlib pprint queue random re reprlib select secrets shlex statistics string
struct tempfile textwrap threading time timeit tokenize traceback types typing unicodedata unittest uuid weakref zlib
zoneinfo _strptime _pylong
"""
PROGRAMS = (
    "import json\nprint(f'{1:.2f}')\nclass A: pass\nraise ValueError('x')",
    "[1, {'a': 2.5}, 'x', {1}, (2, 3)]",
    "result = input",
    "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 1\nasyncio.run(main())",
    "import asyncio\nawait asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))",
    "def broken(:",
    "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\nP(1)",
)


# There is no database of time zones, and UTC needs none. As in RFC 9636: one block of the first version, one of the second.
UTC_NAMES = ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "Zulu")
UTC_BLOCK = b"TZif2" + bytes(15) + bytes((0, 0, 0, 0) * 4 + (0, 0, 0, 1, 0, 0, 0, 4)) + bytes(6) + b"UTC\0"


def give_utc():
    from zoneinfo import _common

    search = _common.load_tzdata

    def load_tzdata(key):
        return io.BytesIO(UTC_BLOCK + UTC_BLOCK + b"\nUTC0\n") if key in UTC_NAMES else search(key)

    _common.load_tzdata = load_tzdata


DIRECTIVE = re.compile(r"%([-_0^#]*\d*[EO]?)(.?)", re.DOTALL)
KNOWN_DIRECTIVES = frozenset("aAbBcCdDeFgGhHIjmMnpPrRsStTuUVwWxXyYzZ%+")


def give_strftime():
    """The C library here gives nothing at all for a text with a directive that it does not know; glibc leaves that as it is."""
    format_time, local_time = time.strftime, time.localtime

    def strftime(format, t=None, /):
        moment = local_time() if t is None else t

        def known(found):
            letter = found[2]
            if letter in ("k", "l", "P"):
                text = format_time({"k": "%H", "l": "%I", "P": "%p"}[letter], moment)
                return text.lower() if letter == "P" else f"{int(text):2d}"
            return found[0] if letter in KNOWN_DIRECTIVES and letter else f"%{found[0]}"

        return format_time(DIRECTIVE.sub(known, format) if isinstance(format, str) else format, moment)

    strftime.__doc__, strftime.__qualname__, strftime.__module__ = format_time.__doc__, "strftime", "time"
    time.strftime = strftime


def warm_up(run):
    main = sys.modules["__main__"]
    for source in PROGRAMS:
        run(source, '{"a":1}', 10000, 100, 1, None, None, True)
    sys.modules["__main__"] = main
    linecache.clearcache()


def prepare(start):
    for name in MODULES.split():
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    # What `typing` loads when it is first asked is loaded: it stands in a module's place until then.
    typing.get_type_hints(type)
    read_modules(sorted(PLAIN_MODULES))
    give_utc()
    give_strftime()
    warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    run, _ = start(lambda seconds: None)
    warm_up(run)
    gc.collect()
    gc.freeze()
