"""A value as one capped text of JSON, made inside the interpreter under the run's time limit.

What JSON cannot hold is tagged with `$type`, and a real `$type` key is escaped: the same form as for JavaScript.
"""

import datetime
import decimal
import fractions
import functools
import sys
import types
from collections import OrderedDict
from json.encoder import encode_basestring

MAX_DEPTH = 200
SAFE_INTEGER = 2**53 - 1
FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    functools.partial,
)
AS_TEXT = (
    (decimal.Decimal, "Decimal", decimal.Decimal.__str__),
    (fractions.Fraction, "Fraction", fractions.Fraction.__str__),
    (datetime.datetime, "datetime", datetime.datetime.isoformat),
    (datetime.date, "date", datetime.date.isoformat),
    (datetime.time, "time", datetime.time.isoformat),
    (datetime.timedelta, "timedelta", datetime.timedelta.__str__),
)


class TooLarge(Exception):
    """Carries the reason; never leaves this file."""


class Encoder:
    def __init__(self, limit):
        self.limit = limit
        self.left = limit
        self.parts = []

    def put(self, text):
        self.left -= len(text)
        if self.left < 0:
            raise TooLarge(f"The result is larger than {self.limit} bytes.")
        self.parts.append(text)

    def text(self, value):
        if len(value) > self.limit:
            self.put(value)
        self.put(encode_basestring("".join((value,))))

    def tag(self, name, value=None):
        self.put('{"$type":"' + name + '"')
        if value is not None:
            self.put(',"value":')
            self.text(value)
        self.put("}")

    def number(self, value):
        if is_a(value, int):
            plain = int.__add__(value, 0)
            if -SAFE_INTEGER <= plain <= SAFE_INTEGER:
                return self.put(int.__repr__(plain))
            if plain.bit_length() > self.limit * 4:
                self.left = -1
                return self.put("")
            return self.tag("bigint", int.__repr__(plain))
        shown = float.__repr__(value)
        if shown == "-0.0":
            return self.tag("-0")
        special = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(shown)
        return self.put(shown) if special is None else self.tag(special)

    def items(self, values, path):
        for index, value in enumerate(values):
            if index:
                self.put(",")
            self.write(value, path, (index,))

    def tagged_items(self, name, values, path):
        self.put('{"$type":"' + name + '","value":[')
        self.items(values, path)
        self.put("]}")

    def mapping(self, value, path):
        # It has an order of its own, of which `dict` knows nothing.
        pairs = (OrderedDict if is_a(value, OrderedDict) else dict).items(value)
        if not all(is_a(key, str) for key, _ in pairs):
            self.put('{"$type":"dict","value":[')
            for index, (key, item) in enumerate(pairs):
                self.put(",[" if index else "[")
                self.write(key, path, (index, 0))
                self.put(",")
                self.write(item, path, (index, 1))
                self.put("]")
            return self.put("]}")
        is_escaped = dict.__contains__(value, "$type") or dict.__contains__(value, "__proto__")
        self.put('{"$type":"object","value":[' if is_escaped else "{")
        for index, (key, item) in enumerate(pairs):
            if index:
                self.put(",")
            if is_escaped:
                self.put("[")
            self.text(key)
            self.put("," if is_escaped else ":")
            self.write(item, path, ("".join((key,)),))
            if is_escaped:
                self.put("]")
        self.put("]}" if is_escaped else "}")

    def circular(self, keys):
        self.put('{"$type":"circular","value":[')
        for index, key in enumerate(keys):
            if index:
                self.put(",")
            if is_a(key, str):
                self.text(key)
            else:
                self.put(str(key))
        self.put("]}")

    def container(self, value, path):
        if is_a(value, dict):
            self.mapping(value, path)
        elif is_a(value, list | tuple):
            self.put("[")
            self.items((list if is_a(value, list) else tuple).__iter__(value), path)
            self.put("]")
        else:
            is_frozen = is_a(value, frozenset)
            members = (frozenset if is_frozen else set).__iter__(value)
            self.tagged_items("frozenset" if is_frozen else "set", ordered(members), path)

    def other(self, value):
        for kind, name, show in AS_TEXT:
            if is_a(value, kind):
                return self.tag(name, show(value))
        if is_a(value, bytes | bytearray | memoryview):
            if len(value) * 2 > self.limit:
                self.left = -1
            return self.put('{"$type":"bytes","value":[' + ",".join(map(str, bytes(value))) + "]}")
        if is_a(value, complex):
            self.put('{"$type":"complex","value":[')
            self.number(value.real)
            self.put(",")
            self.number(value.imag)
            return self.put("]}")
        if is_a(value, BaseException):
            self.put('{"$type":"Error","name":')
            self.text(type(value).__name__)
            self.put(',"message":')
            self.text(str(value))
            return self.put("}")
        if is_a(value, FUNCTIONS):
            name = getattr(value, "__name__", "")
            return self.tag("function", name[:200] if is_a(name, str) else "")
        return self.tag("repr", repr(value))

    def write(self, value, path, key):
        if value is None or value is True or value is False:
            self.put("null" if value is None else "true" if value else "false")
        elif is_a(value, str):
            self.text(value)
        elif is_a(value, int | float):
            self.number(value)
        elif is_a(value, dict | list | tuple | set | frozenset):
            depth = len(path)
            for index in range(depth):
                if path[index][0] is value:
                    return self.circular([part for _, keys in path[1 : index + 1] for part in keys])
            if depth > MAX_DEPTH:
                raise TooLarge(f"The result is nested deeper than {MAX_DEPTH} levels.")
            path.append((value, key))
            self.container(value, path)
            path.pop()
        else:
            self.other(value)


def ordered(members):
    """Sorted where that is plainly possible; the order of a set means nothing, and a person reads sorted values."""
    values = list(members)
    kinds = {type(value) for value in values}
    return sorted(values) if kinds <= {int} or kinds <= {str} or kinds <= {int, float} else values


# The interpreter's own: what a program makes of `sys` is not asked.
set_recursion_limit, set_longest_number = sys.setrecursionlimit, sys.set_int_max_str_digits


def encode_value(value, limit):
    """"R" and the JSON, or "O" and why it is too large."""
    encoder = Encoder(limit)
    set_recursion_limit(3000)
    set_longest_number(0)
    try:
        encoder.write(value, [], ())
    except TooLarge as reason:
        return f"O{reason}"
    return "R" + "".join(encoder.parts)
