"""
Times as text, as with glibc: the C library here knows neither flags that change letters nor widths, gives nothing at all for
a text with a directive that is new to it, and has another name for UTC. Done once, before the snapshot is taken.
"""

import re
import time

DIRECTIVE = re.compile(r"%([-_0^#]*)(\d*)([EO]?)(.?)", re.DOTALL)
NUMBERS = frozenset("CdegGHIjklmMsSuUVwWyY")
TEXTS = frozenset("aAbBcDFhnpPrRtTxXzZ%")
# What the C library here does not know, in the words of those that it does.
IN_OTHER_WORDS = {"k": "%H", "l": "%I", "P": "%p"}
PADDED_WITH_SPACES = frozenset("ekl")
# Wider than any text that a person asks for: glibc would fill memory.
MAX_WIDTH = 10_000


def padded_number(text, letter, flags, width):
    padding = next((flag for flag in reversed(flags) if flag in "-_0"), "_" if letter in PADDED_WITH_SPACES else "0")
    digits = text.lstrip(" 0") or "0"
    if padding == "-":
        return digits.rjust(width)
    return digits.rjust(max(width, len(text)), "0" if padding == "0" else " ")


def padded_text(text, letter, flags, width):
    if "^" in flags or ("#" in flags and letter in "aAbBh"):
        text = text.upper()
    elif "#" in flags and letter in "pZ":
        text = text.lower()
    return text.rjust(width, "0" if "0" in flags else " ")


def give_strftime():
    format_time, local_time = time.strftime, time.localtime

    def text_of(letter, moment):
        if letter == "Z":
            # The C library takes what lies there: a plain tuple knows of no zone, and the local one is meant.
            return moment.tm_zone or "" if isinstance(moment, time.struct_time) else "UTC"
        text = format_time(IN_OTHER_WORDS.get(letter, f"%{letter}"), moment)
        if letter == "P":
            return text.lower()
        return f"{int(text):2d}" if letter in "kl" else text

    def strftime(_, format, t=None, /):
        moment = local_time() if t is None else t

        def told(found):
            flags, digits, _, letter = found.groups()
            if letter not in NUMBERS and letter not in TEXTS:
                return f"%{found[0]}"
            if not flags and not digits and letter not in "klPZ":
                return found[0]
            pad = padded_number if letter in NUMBERS else padded_text
            width = min(int(digits or 0), MAX_WIDTH)
            return pad(text_of(letter, moment), letter, flags, width).replace("%", "%%")

        return format_time(DIRECTIVE.sub(told, format) if isinstance(format, str) else format, moment)

    stand_in(time, "strftime", strftime)


def give_gmtime():
    """The C library here calls the zone GMT."""
    read, make = time.gmtime, time.struct_time

    def gmtime(_, seconds=None, /):
        return make(read(seconds)[:9], {"tm_zone": "UTC", "tm_gmtoff": 0})

    stand_in(time, "gmtime", gmtime)
