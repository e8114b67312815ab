"""
From what the walk noted to what the program mentions, and what of it could not be determined.
A lower bound: a use of a name that reads by other names is harmless only where those are written down.
"""

import ast

import manifest_names as names
from manifest_finish import finish
from manifest_list import NameList
from manifest_modules import Places
from manifest_names import is_private
from manifest_reach import ModuleReach
from manifest_scope import is_free
from manifest_text import format_members, literal
from manifest_uses import argument_of, asks_for_type, called, is_changed, is_probe, is_shown, is_value, reads_line


class Found(ModuleReach):
    def __init__(self, survey):
        self.survey = survey
        self.imports, self.globals, self.members = NameList(), NameList(), NameList()
        self.private, self.code = NameList(), NameList()
        self.undetermined = set()
        # Other names of functions that read by name: `from operator import attrgetter as get`.
        self.functions = {}
        self.aliases = {name: set(modules) for name, modules in survey.aliases.items()}
        self.places = Places(self.aliases)
        # Modules that go about as values: any member that the program mentions may be theirs.
        self.loose = set()
        self.evaluates = False
        # Gives a class other types of fields than are written down.
        self.annotates = False
        # How often types of fields are mentioned otherwise than to be shown.
        self.annotations = 0

    def leave_open(self, *aspects):
        self.undetermined.update(aspects)

    # One mention at a time.

    def member(self, name):
        if is_private(name):
            self.private.add(name)
        if name.startswith("__") and not name.endswith("__"):
            # Private to a class, and seen from outside: inside the class the member has another name.
            self.leave_open("members")
            return
        self.members.add(name)
        self.annotations += name in names.ANNOTATIONS
        if name in names.REACHING:
            self.leave_open("globals", "members")
        if name in names.COMPUTED_MEMBERS:
            self.leave_open("members")
        if name in names.GIVE_MODULES:
            self.go_about(set().union(*self.aliases.values()))
        if name in names.STREAM_PARTS and "sys" in self.survey.modules:
            self.opens_by(name)

    def member_or_open(self, node):
        """A name that is given as a text. One that is put together, or private, is rarely all that there is to it."""
        text = literal(node)
        parts = [] if text is None else text.split(".")
        for part in parts:
            self.member(part)
            self.annotates |= part in names.ANNOTATIONS
        reads_on = names.FORMATS | names.BY_NAME_MEMBERS
        if not isinstance(node, ast.Constant) or text is None or any(is_private(part) or part in reads_on for part in parts):
            self.leave_open("members")

    def bound(self, name):
        """A name that the program gives to something of its own, in a class above all, where it is an attribute."""
        if is_private(name):
            self.private.add(name)
        self.annotates |= name in names.ANNOTATIONS
        if name in names.REACHING or name in names.COMPUTED_MEMBERS or name in names.CLASS_ANSWERS:
            self.leave_open("globals", "members")

    def pattern(self, name):
        """Read by a class pattern, and a value from then on."""
        self.access(name, ast.Attribute(ast.Constant(None), name, ast.Load()), None)

    def global_name(self, name, node, parent):
        self.globals.add(name)
        if is_private(name):
            self.private.add(name)
        if name in names.REACHING:
            self.leave_open("globals", "members")
            if name == "__builtins__" or (name == "__import__" and called(node, parent) is None):
                self.leave_open("imports", "dynamicCode")
        if name == "__import__":
            call = called(node, parent)
            if call is not None:
                self.module_or_open(argument_of(call, 0, "name"))
        elif name == "eval":
            self.code.add(self.name_of_eval(node, parent))
        elif name in names.CODE_MAKERS or name == "breakpoint":
            self.code.add(name)
        elif name in names.ALL_VALUES:
            self.leave_open("globals")
            self.go_about(set().union(*self.aliases.values()))
            self.key(name, node, parent)
        elif name == "type":
            if not asks_for_type(node, parent):
                self.leave_open("members")
        elif name == "help":
            self.leave_open("members", "globals")
        self.function(name, node, parent)

    def name_of_eval(self, node, parent):
        """The text of a plain call may be known only when it runs: then it is told apart, since it can be made harmless."""
        call = called(node, parent)
        if call is None or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
            return "eval"
        text = call.args[0]
        given = self.survey.values.get(text.id, []) if isinstance(text, ast.Name) else []
        is_known = literal(text) is not None or (given and None not in given) or isinstance(text, ast.Constant)
        return "eval" if is_known else "eval(expression)"

    def key(self, name, node, parent):
        """`globals()["name"]`, `vars(x)["name"]`: a name like any other."""
        for text in self.survey.texts & (names.TELLING | names.CODE_MAKERS | {"open"}):
            self.globals.add(text)

    def function(self, name, node, parent):
        """A function that is told by a text what to read."""
        call = called(node, parent)
        if name in names.BY_NAME:
            self.member_or_open(argument_of(call, 1, "attr"))
        elif name in names.NAME_TAKERS:
            if call is None or not call.args:
                self.leave_open("members")
            for argument in call.args if call else []:
                self.member_or_open(argument)
                if name == "methodcaller":
                    break
        elif name in names.COPIERS:
            if call is None or call.keywords or len(call.args) > names.COPIERS[name]:
                self.leave_open("members")
        elif name in names.CODE_MEMBERS:
            if not is_probe(node, parent):
                self.code.add(name)
        elif name in names.EVALUATORS:
            self.evaluates = True
        elif name == "import_module":
            self.module_or_open(argument_of(call, 0, "name"))

    def access(self, name, node, parent):
        self.member(name)
        self.function(name, node, parent)
        call = called(node, parent)
        if name in names.FORMATS:
            text = literal(node.value)
            found = None if text is None else format_members(text)
            if found is None or any(is_private(each) for each in found):
                self.leave_open("members")
            for each in found or []:
                self.member(each)
        elif name in names.BY_NAME_MEMBERS:
            if call is None or not call.args:
                self.leave_open("members")
            else:
                by_class = len(call.args) > (2 if name == "__setattr__" else 1)
                self.member_or_open(call.args[1 if by_class else 0])
        elif name == "modules":
            subscript = parent if isinstance(parent, ast.Subscript) and parent.value is node else None
            self.module_or_open(subscript.slice if subscript else None)
        elif name == "__code__" and isinstance(node.ctx, ast.Store):
            self.code.add(name)
        elif name in names.ANNOTATIONS and is_shown(node, parent, self.survey):
            self.annotations -= 1
        elif name in names.ANNOTATIONS:
            self.leave_open("members")
            self.annotates |= is_changed(node, parent)
        self.of_module(name, node, parent)


def collect(survey):
    found = Found(survey)
    for module in survey.modules:
        found.imported(module)
    for module, name, bound in survey.taken:
        found.take(module, name, bound)
    for name in survey.handed:
        found.go_about(found.aliases.get(name, set()))
    for name in survey.own:
        found.bound(name)
    for name in survey.members:
        found.pattern(name)
    if survey.hidden:
        found.leave_open("members")
    for name, scope, order, node, parent in survey.reads:
        is_class_cell = name == "__class__" and scope.private is not None
        if not is_class_cell and is_free(name, scope, order):
            found.global_name(name, node, parent)
        for original in found.functions.get(name, ()):
            found.function(original, node, parent)
        if name in found.aliases and is_value(node, parent):
            found.go_about(found.aliases[name])
    for name, node, parent in survey.accesses:
        found.access(name, node, parent)
    found.tell_loose()
    return finish(found, survey)
