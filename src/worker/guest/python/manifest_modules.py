"""
Which modules a module holds, and under which names: `enum.bltns` is `builtins`, `json.tool` is what an import may load.
Read from the real modules, once, before the snapshot is taken: nothing is imported while a program is inspected.
"""

import ast
import importlib
import pkgutil
import sys
from types import ModuleType

from manifest_names import is_plain

# Name of a module: {attribute: name of the module that it is}.
HELD = {}

# Name that only the library gives to a module: the modules that it is, where they are not plain ones.
INNER = {}
# Names without an underscore that nobody gives to anything else.
_TELLING_NAMES = frozenset("bltns builtins sys os codecs importlib subprocess".split())


def held_by(holders, name):
    """The modules that `name` is in the holders: none of a module that was not read."""
    return {HELD[holder][name] for holder in holders if name in HELD.get(holder, ())}


class Places:
    """Which modules the expressions of a program may be, by the names that its import statements bind."""

    def __init__(self, aliases):
        self.aliases = aliases
        self.seen = {}

    def at(self, node):
        """The modules that the first name of `a.b.c` may be, and those that all of it may be."""
        path = []
        while isinstance(node, ast.Attribute) and node not in self.seen:
            path.append(node)
            node = node.value
        first = self.aliases.get(node.id, set()) if isinstance(node, ast.Name) else set()
        found = self.seen.get(node, (first, first))
        for step in reversed(path):
            found = self.seen[step] = (found[0], held_by(found[1], step.attr))
        return found


def top_of(module):
    return module.partition(".")[0]


def read_modules(names):
    """Reads all that is loaded, and `names` with what is inside of them, which is forgotten again if it was not loaded."""
    loaded = set(sys.modules)
    for name in names:
        _load(name)
    for name, module in _modules():
        found = {key: _name_in(name, value) for key, value in vars(module).items() if isinstance(value, ModuleType)}
        if found:
            HELD[name] = found
        if is_plain(name):
            _read_inner(found)
    for name in set(sys.modules) - loaded:
        holder, _, last = name.rpartition(".")
        if holder in loaded:
            vars(sys.modules[holder]).pop(last, None)
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


def _read_inner(found):
    for key, module in found.items():
        is_inner = key.startswith("_") or key in _TELLING_NAMES
        if is_inner and not is_plain(module):
            INNER.setdefault(key, set()).add(module)


def _modules():
    return [(name, each) for name, each in sys.modules.items() if isinstance(each, ModuleType) and name != "__main__"]


def _load(name):
    try:
        module = importlib.import_module(name)
    except ImportError:
        # Not for this platform: no program can load it either.
        return
    for part in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if part.name != "__main__":
            _load(f"{name}.{part.name}")


def _name_in(holder, value):
    """The name under which it belongs to the holder's package (`os.path`), or else its own."""
    own = [name for name, each in _modules() if each is value and top_of(name) == top_of(holder)]
    return own[0] if own else value.__name__
