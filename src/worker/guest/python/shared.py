"""
What more than one part of ours needs: how a value's type is asked, and how a function of ours takes a library's place.
Asks a program's classes nothing.
"""

import types


def is_a(value, kinds):
    """By its real type: `__class__`, which a class may give as it likes, is not asked."""
    return issubclass(type(value), kinds)


def stand_in(module, name, give):
    """
    Puts `give` in the place of a module's function, under its name. Its first argument is the module, to which it is bound
    as a function in C is: a class that takes it for a member does not bind it once more.
    """
    give.__name__, give.__qualname__, give.__module__ = name, name, module.__name__
    give.__doc__ = give.__doc__ or getattr(getattr(module, name, None), "__doc__", None)
    setattr(module, name, types.MethodType(give, module))
