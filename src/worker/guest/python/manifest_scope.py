"""
Where names are bound, and which of the names that are read are bound nowhere: the globals and built-ins of a program.
Must take nothing for bound that may not be: a name of a built-in counts as one until it has surely been given another meaning.
"""

from manifest_names import BUILTINS


class Scope:
    __slots__ = ("kind", "parent", "bound", "since", "outside", "private", "comprehension")

    def __init__(self, kind, parent, private=None):
        self.kind = kind
        self.parent = parent
        self.comprehension = False
        self.bound = set()
        # When a name has surely been bound, in the order of evaluation; absent where it may not be.
        self.since = {}
        # Names declared `global` here.
        self.outside = set()
        # The class whose name is put before `__x`.
        self.private = private if private is not None else parent.private if parent else None

    def module(self):
        scope = self
        while scope.parent:
            scope = scope.parent
        return scope

    def bind(self, name, order, sure):
        if name in self.outside:
            self.module().bind(name, order, False)
            return
        self.bound.add(name)
        if sure and name not in self.since:
            self.since[name] = order

    def unbind(self, name):
        """From now on nobody knows: the name of a built-in may mean the built-in again."""
        target = self.module() if name in self.outside else self
        target.bound.add(name)
        target.since[name] = float("inf")

    def mangle(self, name):
        """What the interpreter makes of `__x` inside a class."""
        if not name.startswith("__") or name.endswith("__") or "." in name or not (self.private or "").strip("_"):
            return name
        return f"_{self.private.lstrip('_')}{name}"

    def _holds(self, name, order):
        if name not in self.bound:
            return False
        # A function knows its own names; in a module or a class one that is not bound yet is looked for further out.
        return self.kind == "function" or name not in BUILTINS or self.since.get(name, float("inf")) < order


def is_free(name, scope, order):
    """Whether `name`, read in `scope` at `order`, is or may be a global that the program did not make."""
    current = scope
    while current.parent:
        if name in current.outside:
            current = scope.module()
            break
        visible = current is scope or current.kind != "class"
        if visible and current._holds(name, order):
            return False
        current = current.parent
    return not current._holds(name, order)
