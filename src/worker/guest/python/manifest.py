"""
Says what a Python program mentions, without running it: `manifest(source)`, a JSON text, by CPython's own parser.
A lower bound: whatever is not certain to be harmless is named or marked as undetermined. Never a boundary.
"""

import ast
import json

from manifest_collect import ASPECTS, collect
from manifest_walk import TooLarge, Walker

MAX_CHARS = 300_000


def _unknown():
    """Of a program that could not be read nothing is known, which is not that it is harmless."""
    return {**_BLANK, "dynamicCode": [], "undetermined": list(ASPECTS)}


_BLANK = {
    "nesting": 0, "imports": [], "globals": [], "members": [], "privateAccess": [], "dynamicCode": [], "loops": 0,
    "undetermined": [],
}


def _failure(error):
    if isinstance(error, UnicodeError):
        return {"message": "The source holds half a character (a lone surrogate)."}
    told = {"message": (getattr(error, "msg", None) or str(error))[:500]}
    line, column = getattr(error, "lineno", None), getattr(error, "offset", None)
    if line:
        told["line"] = line
        if column:
            told["column"] = max(1, column)
    return told


def describe(source):
    if len(source) > MAX_CHARS:
        return _unknown()
    try:
        tree = ast.parse(source)
    except (RecursionError, MemoryError):
        return _unknown()
    except (SyntaxError, ValueError) as error:
        # The engine reads by the same parser: what it cannot read never runs.
        return {**_BLANK, "syntaxError": _failure(error)}
    try:
        survey = Walker().run(tree)
        found = collect(survey)
    except (TooLarge, RecursionError, MemoryError):
        return _unknown()
    return {**_BLANK, "nesting": survey.nesting, "loops": survey.loops, **found}


def manifest(source):
    """The syntactic part of the manifest, as JSON: length, lines and hash are counted where the source came from."""
    return json.dumps(describe(source))
