"""
Modules of which only a part is plain (`sys`): what a program uses of the others, as far as that is written down.
Whoever has such a module as a value may use anything of it.
"""

import ast

from manifest_names import CHANGEABLE_MEMBERS, PLAIN_MEMBERS
from manifest_uses import is_value

ANYTHING = "*"


def other_parts(module, survey):
    """The members beyond its plain part that are used of what import statements call `module`, in order."""
    found = {name for holder, name, _ in survey.taken if holder == module}
    bound = {name for name, modules in survey.aliases.items() if module in modules}
    if bound & survey.handed:
        found.add(ANYTHING)
    changed = set()
    for name, _, _, node, parent in survey.reads:
        if name in bound:
            member = ANYTHING if is_value(node, parent) else parent.attr
            is_read = member == ANYTHING or isinstance(parent.ctx, ast.Load)
            (found if is_read else changed).add(member)
    return sorted(found - PLAIN_MEMBERS[module] | changed - CHANGEABLE_MEMBERS[module])


def is_plain_part(name, modules):
    return any(name in PLAIN_MEMBERS.get(module, ()) for module in modules)
