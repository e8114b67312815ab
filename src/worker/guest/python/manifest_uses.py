"""
What stands around a name: whether it is called, with what, or only asked about.
Judges one place; what it means for the program is said in `manifest_collect.py`.
"""

import ast
import builtins

# Built-ins that keep and give back nothing of a dictionary but texts, numbers and its keys.
SHOWING = frozenset("print repr str len list sorted".split())
TYPES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type))


def called(node, parent):
    """The call whose function `node` is, if its arguments stand where they seem to."""
    if not isinstance(parent, ast.Call) or parent.func is not node:
        return None
    return parent


def argument_of(call, position, keyword):
    if call is None:
        return None
    for argument in call.args[: position + 1]:
        if isinstance(argument, ast.Starred):
            return None
    if len(call.args) > position:
        return call.args[position]
    found = [each.value for each in call.keywords if each.arg == keyword]
    return found[0] if len(found) == 1 else None


def is_value(node, parent):
    """Not only there for what comes after its dot."""
    return not (isinstance(parent, ast.Attribute) and parent.value is node)


def is_changed(node, parent):
    """Given another value, or one of its own: by brackets, or perhaps by one of its methods."""
    if not isinstance(node.ctx, ast.Load):
        return True
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return not isinstance(parent.ctx, ast.Load)
    return isinstance(parent, ast.Attribute)


def is_probe(node, parent):
    """Asked about and not called: `isinstance(x, T)`, `x is T`."""
    if isinstance(parent, ast.Compare):
        return True
    is_asked = isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in ("isinstance", "issubclass")
    return is_asked and parent.args[-1] is node


def is_shown(node, parent, survey):
    """Only read where it stands, by a built-in that keeps nothing of it, or put into a text."""
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return isinstance(parent, ast.FormattedValue)
    shows = getattr(parent.func, "id", "")
    return shows in SHOWING and shows not in survey.values and shows not in survey.stored | survey.texts


def reads_line(name, base, survey):
    """`sys.stdin.readline`, the method and not the module of that name: where `sys` and its `stdin` surely are what they were."""
    is_stdin = isinstance(base, ast.Attribute) and base.attr == "stdin" and getattr(base.value, "id", "") == "sys"
    if name != "readline" or not is_stdin:
        return False
    changed = survey.stored | survey.texts
    is_same = not changed & {"sys", "stdin"} and "stdin" not in survey.values
    return is_same and survey.aliases.get("sys") == {"sys"} and survey.values["sys"] == [None]


def asks_for_type(node, parent):
    """`type(x)`, a metaclass, an annotation: not a class made of texts."""
    call = called(node, parent)
    if call is not None:
        return len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
    return parent is None or isinstance(parent, (ast.ClassDef, ast.BinOp, ast.Subscript)) or is_probe(node, parent)


def makes_class(call):
    """A class of names that are not written down, by a way around `type`: `type(type(x))(...)`, `int.__class__(...)`."""
    of_class = len(call.args) + len(call.keywords) > 1 or any(isinstance(each, ast.Starred) for each in call.args)
    if isinstance(call.func, ast.Call) and getattr(call.func.func, "id", "") == "type":
        return of_class
    if isinstance(call.func, ast.Attribute) and call.func.attr == "__class__":
        return of_class
    if isinstance(call.func, ast.Attribute) and call.func.attr == "__new__":
        # By a metaclass, of names that are put together where they are given.
        return len(call.args) > 3 and not isinstance(call.args[-1], ast.Name)
    # The type of a type is to be had for its own sake.
    is_type = getattr(call.func, "id", "") == "type" and len(call.args) == 1
    if not is_type:
        return False
    given = call.args[0]
    is_of_type = isinstance(given, ast.Call) and getattr(given.func, "id", "") == "type"
    return is_of_type or (isinstance(given, ast.Name) and given.id in TYPES)
