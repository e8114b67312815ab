"""
Says what a Python program mentions, without running it: `manifest(source)`, a JSON text, by CPython's own parser.
A lower bound: whatever is not certain to be harmless is named or marked as undetermined. Never a boundary.
"""

import ast
import json

from manifest_collect import collect
from manifest_finish import ASPECTS
from manifest_walk import TooLarge, Walker

MAX_SOURCE_CHARS = 200_000


def _nothing_known():
    """Of a program that could not be read nothing is known, which is not that it is harmless."""
    return {**BLANK_MANIFEST, "dynamicCode": [], "undetermined": list(ASPECTS)}


BLANK_MANIFEST = {
    "nesting": 0, "imports": [], "globals": [], "members": [], "privateAccess": [], "dynamicCode": [], "loops": 0,
    "undetermined": [],
}


def _syntax_error(error):
    if isinstance(error, UnicodeError):
        return {"message": "The source holds half a character (a lone surrogate)."}
    told = {"message": (getattr(error, "msg", None) or str(error))[:500]}
    line, column = getattr(error, "lineno", None), getattr(error, "offset", None)
    if line:
        told["line"] = line
        if column:
            told["column"] = max(1, column)
    return told


def inspect_source(source):
    if len(source) > MAX_SOURCE_CHARS:
        return _nothing_known()
    try:
        tree = ast.parse(source)
    except (RecursionError, MemoryError):
        return _nothing_known()
    except (SyntaxError, ValueError) as error:
        # The engine reads by the same parser: what it cannot read never runs.
        return {**BLANK_MANIFEST, "syntaxError": _syntax_error(error)}
    try:
        survey = Walker().run(tree)
        found = collect(survey)
    except (TooLarge, RecursionError, MemoryError):
        return _nothing_known()
    return {**BLANK_MANIFEST, "nesting": survey.nesting, "loops": survey.loops, **found}


def manifest(source):
    """The syntactic part of the manifest, as JSON: length, lines and hash are counted where the source came from."""
    return json.dumps(inspect_source(source))
