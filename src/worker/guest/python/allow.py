"""
What a program is left with: its built-in names, and the modules that its own code may import.
Usability, never the boundary: whoever goes looking finds the interpreter's own built-ins, and only the isolate holds.
Must leave the interpreter's own built-ins alone: the standard library needs `eval`, `exec` and every import of its own.
"""

import annotationlib
import ast
import builtins
import dataclasses
import sys

import manifest_names as telling_names
from manifest_modules import INNER

# What C code of the standard library imports in the name of the program that called it (`datetime.strptime`, division of
# large numbers). It takes the module from those that are loaded: what an import gives does not matter, and is nothing.
_IN_ITS_NAME = ("_strptime", "_pylong")

_CODE_MAKERS = ("eval", "exec", "compile")


def restrict(namespace, names, modules, dynamic_code):
    """
    Sets `namespace["__builtins__"]`, from which every function that the program defines takes its built-ins.

    names: the only built-ins, or None for all of them.
    modules: what may be imported, as exact names or beginnings followed by `*`, or None for everything.
    dynamic_code: False takes `eval`, `exec` and `compile` away; where all built-ins are left, `eval` does arithmetic.
    """
    if names is None and modules is None and dynamic_code:
        namespace["__builtins__"] = builtins
        return
    table = dict(vars(builtins))
    if names is not None:
        table = {name: table[name] for name in names if name in table}
    if not dynamic_code:
        _guard_annotations()
        _guard_fields()
        for name in _CODE_MAKERS:
            table.pop(name, None)
        if names is None:
            table["eval"] = _make_calculator()
    if modules is not None:
        table.pop("__import__", None)
        if modules:
            table["__import__"] = _make_import(tuple(modules))
    elif names is not None:
        table["__import__"] = builtins.__import__
    namespace["__builtins__"] = table


def _make_calculator():
    compile_, evaluate, parse, walk = compile, eval, ast.parse, ast.walk

    def eval_(text, /):
        tree = parse(str(text).strip(" \t"), "<eval>", "eval")
        for node in walk(tree):
            if not isinstance(node, _ARITHMETIC):
                raise ValueError("eval() does arithmetic only here: numbers, texts and operators, no names and no calls")
        return evaluate(compile_(tree, "<eval>", "eval"), {"__builtins__": {}})

    eval_.__name__ = eval_.__qualname__ = "eval"
    return eval_


_ARITHMETIC = (
    ast.Expression, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)

_OF_TYPES = (
    ast.Expression, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.Starred, ast.BinOp, ast.BitOr, ast.UnaryOp,
    ast.USub, ast.expr_context,
)
# Members that lead to what the manifest would have to tell: modules inside of modules, and whatever reads by name.
_TELLING = (
    telling_names.FILE_OPENERS | telling_names.CODE_MAKERS | telling_names.CODE_MEMBERS | telling_names.NAME_TAKERS
    | telling_names.BY_NAME | telling_names.ALL_VALUES | telling_names.COMPUTED_MEMBERS | telling_names.REACHING
    | telling_names.EVALUATORS | telling_names.TELLING | telling_names.STANDARD_LIBRARY - telling_names.PLAIN_MODULES
)


def _guard_annotations():
    """A text in a type's place is evaluated with the interpreter's own built-ins: here it is one that names types."""
    telling = _TELLING | INNER.keys()
    evaluate, parse, walk, known = annotationlib.ForwardRef.evaluate, ast.parse, ast.walk, vars(builtins)

    def is_type(node):
        if isinstance(node, ast.Attribute):
            return not node.attr.startswith("_") and node.attr not in telling
        if isinstance(node, ast.Name):
            return not node.id.startswith("__") and (node.id not in known or isinstance(known[node.id], type))
        return isinstance(node, _OF_TYPES)

    def evaluate_(self, **options):
        text = self.__forward_arg__
        # A text of another class could say one thing here and another to the parser.
        if type(text) is not str:
            raise ValueError("a text in the place of a type may only be a plain one here")
        tree = parse(f"({text},)", "<annotation>", "eval")
        if not all(is_type(node) for node in walk(tree)):
            raise ValueError(f"a text in the place of a type may only name types here, not {text[:60]!r}")
        return evaluate(self, **options)

    evaluate_.__name__, evaluate_.__qualname__ = "evaluate", "ForwardRef.evaluate"
    annotationlib.ForwardRef.evaluate = evaluate_


def _guard_fields():
    """The names of a dataclass's fields become code: here they are names."""
    make_field, is_name = dataclasses._get_field, str.isidentifier

    def get_field(cls, name, type_, default_kw_only):
        # A text of another class could say one thing here and another to the parser.
        if type(name) is not str or not is_name(name):
            raise TypeError(f"Field names must be valid identifiers: {name!r}")
        return make_field(cls, name, type_, default_kw_only)

    dataclasses._get_field = get_field


def _matches(name, patterns):
    if name.endswith(".__main__"):
        return name in patterns
    return any(name.startswith(entry[:-1]) if entry.endswith("*") else name == entry for entry in patterns)


def _make_import(patterns):
    load, loaded = builtins.__import__, sys.modules
    # What is part of a module that is told need not be told again.
    told = ", ".join(entry for entry in patterns if not entry.endswith(".*"))
    in_part = [name for name in telling_names.PLAIN_MEMBERS if not _matches(f"{name}.*", patterns)]
    parts = {}

    def import_(name, globals=None, locals=None, fromlist=(), level=0):
        if type(name) is not str or level != 0:
            raise ImportError("A program here is one file: there is nothing that a relative import could load.")
        if not _matches(name, patterns):
            if name in _IN_ITS_NAME:
                return None
            kind = ImportError if name.partition(".")[0] in sys.stdlib_module_names else ModuleNotFoundError
            text = f"{name} cannot be imported. Only these modules can be: {told}. Third-party packages are not there."
            raise kind(text, name=name)
        if name in in_part:
            if name not in parts:
                parts[name] = make_part(name)
            return parts[name]
        package = load(name, globals, locals, (), 0)
        if not fromlist:
            return package
        module = loaded[name]
        for item in fromlist:
            full = f"{name}.{item}"
            if item != "*" and not hasattr(module, item) and _matches(full, patterns):
                try:
                    load(full, globals, locals, (), 0)
                except ModuleNotFoundError as error:
                    # Not a module: the interpreter says that the name cannot be imported.
                    if error.name != full:
                        raise
        return module

    import_.__name__ = import_.__qualname__ = "__import__"
    return import_
