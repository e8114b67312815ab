"""
What is done once, before the snapshot is taken: modules that programs import are loaded and the ways of a run are warm.
Must leave nothing behind by which a program could tell that others ran before it.
"""

import gc
import importlib
import linecache
import sys
import typing
import warnings

from manifest_modules import read_modules
from manifest_names import PLAIN_MODULES, PLAIN_PARTS

MODULES = """
abc array ast asyncio asyncio.base_events asyncio.queues asyncio.taskgroups asyncio.timeouts base64 bisect calendar
cmath collections collections.abc colorsys concurrent.futures contextlib contextvars copy csv dataclasses datetime
decimal difflib enum fractions functools graphlib hashlib heapq html.parser importlib.resources inspect io ipaddress
itertools json keyword linecache locale logging math numbers operator os.path pathlib pprint queue random re reprlib
secrets select shlex statistics string struct tempfile textwrap threading time timeit tokenize traceback types typing
unicodedata unittest urllib.parse uuid weakref zlib zoneinfo _strptime _pylong
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


def warm_up():
    main, create_task = sys.modules["__main__"], Loop.create_task
    # Tasks without a name are counted, and a program's first is Task-1.
    Loop.create_task = lambda loop, coro, **options: create_task(loop, coro, **{"name": "warm-up", **options})
    for source in PROGRAMS:
        rehearse(source, '{"a":1}', 10000, 100, 1, None, None, True)
    del Loop.create_task
    sys.modules["__main__"] = main
    linecache.clearcache()


def prepare(start):
    """Returns where the table of error numbers lies in memory."""
    for name in MODULES.split():
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    # What `typing` loads when it is first asked is loaded: it stands in a module's place until then.
    typing.get_type_hints(type)
    read_modules(sorted(PLAIN_MODULES | PLAIN_PARTS))
    complete_library()
    warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    start(lambda seconds: None)
    warm_up()
    table_at = number_errors_as_linux()
    gc.collect()
    gc.freeze()
    return table_at
