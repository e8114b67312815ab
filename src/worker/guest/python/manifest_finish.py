"""
What follows from all mentions together, and the manifest's lists.
Must leave open what a single mention could not decide: code in annotations, computed names, a list that was cut.
"""

import manifest_names as names
from manifest_text import format_members, has_calls

# Take the types of fields as values, and so as texts that are put together.
FIELD_MAKERS = frozenset("NamedTuple TypedDict Annotated Required NotRequired ReadOnly".split())

ASPECTS = ("imports", "globals", "members", "dynamicCode")


def reads_by_pattern(found, survey):
    """Members in the order of a class that may be told to be any value's: by `register`, without a method of its own."""
    return survey.positional and "register" in found.members.names


def renames_fields(found, survey):
    """`dataclasses.fields(A)[0].name = text`: what is then read of an object is a member of that name."""
    return "name" in survey.stored and "fields" in found.members.names and "dataclasses" in found.imports.names


def finish(found, survey):
    if found.annotates and ("dataclasses" in found.imports.names or found.evaluates):
        found.code.add("annotations")
    if found.evaluates:
        makes_own = "members" in found.undetermined or found.annotations
        if makes_own or any(has_calls(text) for text in survey.texts):
            found.code.add("annotations")
    makes_hints = found.evaluates and FIELD_MAKERS & found.members.names.keys()
    if makes_hints or reads_by_pattern(found, survey) or renames_fields(found, survey):
        found.leave_open("globals", "members")
    if "members" in found.undetermined:
        # Somewhere a name is computed: a text that is such a name is likely to be it.
        for text in survey.texts:
            mentioned = {text} | set(format_members(text) or [] if "{" in text else [])
            for name in mentioned & names.TELLING:
                found.member(name)
    makers = set(found.code.names)
    if makers:
        found.leave_open("globals", "members")
    if makers - {"eval(expression)"}:
        found.leave_open("imports")
    for aspect, lists in (("imports", [found.imports]), ("globals", [found.globals]), ("dynamicCode", [found.code]),
                          ("members", [found.members, found.private])):
        if any(each.cut for each in lists):
            found.leave_open(aspect)
    return {
        "imports": list(found.imports.names),
        "globals": list(found.globals.names),
        "members": list(found.members.names),
        "privateAccess": list(found.private.names),
        "dynamicCode": list(found.code.names),
        "undetermined": [aspect for aspect in ASPECTS if aspect in found.undetermined],
    }
