"""
The modules that a program reaches: by a statement, under another name, inside of another module, as a value.
A part of the collector: what is mentioned besides, and what was noted, is there.
"""

import ast

import manifest_names as names
from manifest_modules import HELD, INNER, held_by, top_of
from manifest_names import is_private
from manifest_parts import ANYTHING, is_plain_part, other_parts
from manifest_text import literal
from manifest_uses import is_value, reads_line


class ModuleReach:
    def imported(self, name):
        """By a statement that gives it a name: of some modules it counts what is used of them."""
        if name not in names.PLAIN_MEMBERS:
            self.module(name)
            return
        self.imports.add(name)
        for part in other_parts(name, self.survey):
            self.imports.add(f"{name}.{part}")
            self.leave_open("globals", "members")

    def module(self, name):
        """However a program came by it: all of it counts."""
        self.imports.add(name)
        if name in names.PLAIN_MEMBERS:
            self.imports.add(f"{name}.{ANYTHING}")
        top = top_of(name)
        if top in names.CODE_MODULES:
            self.code.add(top)
        if name in names.CODE_PARTS or name.endswith(".__main__"):
            self.code.add(name)
        if not names.is_plain(name):
            self.leave_open("globals", "members")

    def module_or_open(self, node):
        text = literal(node)
        if text is None:
            self.leave_open("imports", "globals", "members")
        else:
            self.module(text)

    def of_module(self, name, node, parent):
        """What an import statement's module holds besides its own functions: other modules, and what is not for others."""
        known, holders = self.places.at(node.value)
        if not known:
            self.of_unknown(name, node)
            return
        if not reads_line(name, node.value, self.survey):
            self.inside(known | holders, name)
        held = self.held(holders, name)
        if held and is_value(node, parent):
            self.go_about(held)
        if name == "__dict__" or name in names.BY_NAME_MEMBERS:
            self.go_about(holders)
        if "builtins" in known | holders:
            self.global_name(name, node, None)
        elif "__main__" in known:
            self.globals.add(name)

    def of_unknown(self, name, node):
        """Of a value that could be any module, as an exception's `obj`: by the names that the library gives to its modules."""
        modules = INNER.get(name, ()) if isinstance(node.ctx, ast.Load) and name not in self.survey.own else ()
        if modules and not is_private(name) and name in self.survey.stored:
            # Most likely what the program has put there itself.
            self.leave_open("globals", "members")
            return
        for module in modules:
            self.module(module)

    def opens_by(self, member):
        """`type(sys.stdin.buffer.raw)` is what opens files. A member that the program has set is most likely its own."""
        self.leave_open("globals")
        if member not in self.survey.stored:
            self.globals.add("open")

    def inside(self, modules, name):
        if "io" in modules and name in names.FILE_OPENERS:
            self.global_name("open", None, None)
            self.leave_open("globals")
        bare = name.removeprefix("_")
        is_own = any(name in module.split(".") for module in modules)
        if is_plain_part(name, modules):
            return
        if bare in names.STANDARD_LIBRARY and bare not in names.PLAIN_MODULES and not is_own:
            self.module(bare)
        elif is_private(name) and not (name.startswith("__") and name.endswith("__")):
            self.leave_open("members")

    def held(self, holders, name):
        """The modules that `name` is in the holders: as good as imported, but for what is of the holder's own package."""
        for holder in holders:
            for module in held_by([holder], name):
                if top_of(module) != top_of(holder):
                    self.module(module)
        return held_by(holders, name)

    def go_about(self, modules):
        """They are values now: whatever the program mentions may be read from them."""
        self.leave_open("members")
        self.loose |= modules

    def tell_loose(self):
        pending = list(self.loose)
        mentioned = self.survey.mentioned() if pending else set()
        while pending:
            holder = pending.pop()
            for name in mentioned & HELD.get(holder, {}).keys():
                found = self.held([holder], name) - self.loose
                self.loose |= found
                pending += found
        if names.PLAIN_MEMBERS.keys() & self.loose:
            self.leave_open("globals")
        if "builtins" in self.loose:
            for name in mentioned & (names.CODE_MAKERS | {"open", "__import__", "breakpoint"}):
                self.global_name(name, None, None)

    def take(self, module, name, bound):
        if name == "*":
            self.leave_open("globals")
            if module not in names.NUMBER_MODULES:
                self.go_about({module})
            return
        self.member(name)
        self.inside({module}, name)
        held = self.held([module], name)
        if held:
            self.aliases.setdefault(bound, set()).update(held)
        if module == "builtins":
            self.global_name(name, None, None)
        self.functions.setdefault(bound, set()).add(name)
        if any(part in names.CODE_MEMBERS for part in (name,)) and name not in ("FunctionType", "LambdaType", "CodeType"):
            self.code.add(name)
