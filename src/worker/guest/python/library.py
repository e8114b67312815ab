"""
What the standard library has on other machines and lacks on this one: without a database of time zones, without glibc,
without OpenSSL. Done once, before the snapshot is taken.
"""

import _hmac
import hashlib
import io
import re
import sys
import time

# There is no database of time zones, and UTC needs none. As in RFC 9636: one block of the first version, one of the second.
UTC_NAMES = ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "Zulu")
UTC_BLOCK = b"TZif2" + bytes(15) + bytes((0, 0, 0, 0) * 4 + (0, 0, 0, 1, 0, 0, 0, 4)) + bytes(6) + b"UTC\0"

DIRECTIVE = re.compile(r"%([-_0^#]*\d*[EO]?)(.?)", re.DOTALL)
KNOWN_DIRECTIVES = frozenset("aAbBcCdDeFgGhHIjmMnpPrRsStTuUVwWxXyYzZ%+")

# Frames that stand below a program's own; its limit of depth is CPython's.
OUR_FRAMES = 4
LARGEST_C_INT = 2**31 - 1


def stand_in(module, name, give):
    """Puts `give` in the place of a module's function, under its name."""
    give.__name__, give.__qualname__, give.__module__ = name, name, module.__name__
    give.__doc__ = getattr(vars(module).get(name), "__doc__", give.__doc__)
    setattr(module, name, give)


def give_utc():
    from zoneinfo import _common

    search = _common.load_tzdata

    def load_tzdata(key):
        return io.BytesIO(UTC_BLOCK + UTC_BLOCK + b"\nUTC0\n") if key in UTC_NAMES else search(key)

    _common.load_tzdata = load_tzdata


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

    stand_in(time, "strftime", strftime)


def give_thread_time():
    """There is one thread, whose time is the process's."""
    process_time, process_time_ns = time.process_time, time.process_time_ns

    def thread_time():
        """The CPU time of this thread, in seconds."""
        return process_time()

    def thread_time_ns():
        """The CPU time of this thread, in nanoseconds."""
        return process_time_ns()

    stand_in(time, "thread_time", thread_time)
    stand_in(time, "thread_time_ns", thread_time_ns)


def give_recursion_limit():
    """A program is told, and sets, the depth of its own frames."""
    read, set_limit = sys.getrecursionlimit, sys.setrecursionlimit

    def getrecursionlimit():
        return read() - OUR_FRAMES

    def setrecursionlimit(limit, /):
        is_count = isinstance(limit, int) and 0 < limit <= LARGEST_C_INT
        set_limit(min(limit + OUR_FRAMES, LARGEST_C_INT) if is_count else limit)

    stand_in(sys, "getrecursionlimit", getrecursionlimit)
    stand_in(sys, "setrecursionlimit", setrecursionlimit)


def give_pbkdf2():
    """`hashlib.pbkdf2_hmac`, which comes from OpenSSL elsewhere: RFC 8018, section 5.2."""
    new_hash, compute, from_bytes = hashlib.new, _hmac.compute_digest, int.from_bytes

    def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
        """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
        if not isinstance(hash_name, str):
            raise TypeError(f"pbkdf2_hmac() argument 'hash_name' must be str, not {type(hash_name).__name__}")
        size = new_hash(hash_name).digest_size
        length = size if dklen is None else dklen
        if iterations < 1:
            raise ValueError("iteration value must be greater than 0.")
        if length < 1:
            raise ValueError("key length must be greater than 0.")
        key, start = bytes(memoryview(password)), bytes(memoryview(salt))
        derived = b""
        for number in range(1, -(-length // size) + 1):
            link = compute(key, start + number.to_bytes(4), hash_name)
            block = from_bytes(link)
            for _ in range(iterations - 1):
                link = compute(key, link, hash_name)
                block ^= from_bytes(link)
            derived += block.to_bytes(size)
        return derived[:length]

    stand_in(hashlib, "pbkdf2_hmac", pbkdf2_hmac)


def complete_library():
    give_utc()
    give_strftime()
    give_thread_time()
    give_recursion_limit()
    give_pbkdf2()
