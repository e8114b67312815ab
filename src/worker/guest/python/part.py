"""
The plain part of a module, for a program whose policy lets it import the module and not all of it (`sys`, not `sys.*`).
Usability, as all that is taken away here: the module itself stays where the standard library needs it.
"""

import sys
import types

from manifest_names import CHANGEABLE_MEMBERS, PLAIN_MEMBERS


def make_part(name):
    """A module of this name, of which only the plain members are there; what is set in it is set in the module itself."""
    whole, plain, changeable = sys.modules[name], PLAIN_MEMBERS[name], CHANGEABLE_MEMBERS[name]
    read, write, in_order = getattr, setattr, sorted

    class module(types.ModuleType):
        def __getattr__(self, member):
            if member in plain:
                return read(whole, member)
            raise AttributeError(f"module {name!r} has no attribute {member!r} here", name=member, obj=self)

        def __setattr__(self, member, value):
            if member not in changeable:
                raise AttributeError(f"{name}.{member} cannot be set here", name=member, obj=self)
            write(whole, member, value)

        def __dir__(self):
            return in_order(plain)

    module.__qualname__, module.__module__ = "module", "builtins"
    return module(name, whole.__doc__)
