"""
What the standard library has on other machines and lacks on this one: of the processor's time, of a program's own depth,
of OpenSSL. Done once, before the snapshot is taken.
"""

import _hmac
import hashlib
import operator
import re
import sys
import time

LARGEST_C_INT = 2**31 - 1


def give_processor_time():
    """What a program took of the processor is not told to it; the clock that it is given moves by waiting, which takes none."""
    read_info = time.get_clock_info

    def give(name, value, text):
        def read(_):
            return value

        read.__doc__ = text
        stand_in(time, name, read)

    def get_clock_info(_, name, /):
        return read_info("process_time" if name == "thread_time" else name)

    give("process_time", 0.0, "Processor time of the process in seconds: not told here, always 0.")
    give("process_time_ns", 0, "Processor time of the process in nanoseconds: not told here, always 0.")
    give("thread_time", 0.0, "Processor time of the thread in seconds: not told here, always 0.")
    give("thread_time_ns", 0, "Processor time of the thread in nanoseconds: not told here, always 0.")
    stand_in(time, "get_clock_info", get_clock_info)


def give_recursion_limit():
    """A program is told, and sets, the depth of its own frames."""
    read, set_limit, lowest, index = sys.getrecursionlimit, sys.setrecursionlimit, min, operator.index
    find_depth = re.compile(r"depth (\d+)").search

    def getrecursionlimit(_):
        limit = read()
        return limit if limit == LARGEST_C_INT else limit - OUR_FRAMES

    def setrecursionlimit(_, limit, /):
        asked = index(limit)
        try:
            set_limit(lowest(asked + OUR_FRAMES, LARGEST_C_INT) if 0 < asked <= LARGEST_C_INT else asked)
        except RecursionError as error:
            depth = int(find_depth(str(error))[1]) - OUR_FRAMES - 1
            text = f"cannot set the recursion limit to {asked} at the recursion depth {depth}: the limit is too low"
            raise RecursionError(text) from None

    stand_in(sys, "getrecursionlimit", getrecursionlimit)
    stand_in(sys, "setrecursionlimit", setrecursionlimit)


def bytes_of(given):
    try:
        return memoryview(given).tobytes()
    except TypeError:
        # As CPython says it of every argument that should be bytes.
        raise TypeError(f"a bytes-like object is required, not '{type(given).__name__}'") from None


def count_of(given, what):
    number = operator.index(given)
    if number < 1:
        raise ValueError(f"{what} must be greater than 0.")
    if number > LARGEST_C_INT:
        raise OverflowError(f"{what} is too great.")
    return number


def give_pbkdf2():
    """`hashlib.pbkdf2_hmac`, which comes from OpenSSL elsewhere: RFC 8018, section 5.2."""
    new_hash, compute, from_bytes = hashlib.new, _hmac.compute_digest, int.from_bytes

    def pbkdf2_hmac(_, /, hash_name, password, salt, iterations, dklen=None):
        """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
        if not isinstance(hash_name, str):
            raise TypeError(f"pbkdf2_hmac() argument 'hash_name' must be str, not {type(hash_name).__name__}")
        kind = new_hash(hash_name)
        size = kind.digest_size
        if size == 0:
            raise ValueError(f"unsupported hash type {hash_name}")
        key, start = bytes_of(password), bytes_of(salt)
        rounds = count_of(iterations, "iteration value")
        length = size if dklen is None else count_of(dklen, "key length")
        # As HMAC does, but once: a link of the chain need not read all of a long key.
        if len(key) > kind.block_size:
            key = new_hash(hash_name, key).digest()
        blocks = []
        for number in range(1, -(-length // size) + 1):
            link = compute(key, start + number.to_bytes(4), hash_name)
            block = from_bytes(link)
            for _ in range(rounds - 1):
                link = compute(key, link, hash_name)
                block ^= from_bytes(link)
            blocks.append(block.to_bytes(size))
        return b"".join(blocks)[:length]

    stand_in(hashlib, "pbkdf2_hmac", pbkdf2_hmac)
    hashlib.__all__ += ("pbkdf2_hmac",)


def complete_library():
    give_strftime()
    give_gmtime()
    give_processor_time()
    give_recursion_limit()
    give_pbkdf2()
