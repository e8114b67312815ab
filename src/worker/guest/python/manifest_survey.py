"""
What the walk has noted of a program: names, members, imports, texts.
Nothing is judged here.
"""

import ast

from manifest_text import format_members, literal


class Survey:
    def __init__(self):
        self.reads = []  # (name, scope, order, node, parent)
        self.accesses = []  # (name, node, parent)
        self.modules = []  # names of modules that import statements load
        self.aliases = {}  # bound name: the module that it stands for
        self.taken = []  # (module, name, bound name) of `from module import name`
        self.handed = set()  # names that import statements bind in a class, whose members they are
        self.members = []  # names that are read without an attribute in the syntax: patterns
        self.positional = False  # patterns that read members in the order of their class
        self.hidden = False  # such names that are not written down
        self.own = set()  # names that the program binds
        self.stored = set()  # names of members that it gives a value
        self.texts = set()  # texts that could be names
        self.values = {}  # name of a variable: the texts that it is given, None for anything else
        self.loops = 0
        self.nesting = 0

    def mentioned(self):
        """Every name that could be a member: written as one, in a text, or bound nowhere, as after `import *`."""
        found = {name for name, _, _ in self.accesses}.union(self.members)
        found.update(name for name, *_ in self.reads if name not in self.values)
        for text in self.texts:
            found.update(text.split("."), (format_members(text) or []) if "{" in text else [])
        return found

    def told(self, node):
        """The text that `node` is: written there, or given to a variable that is given nothing else."""
        text = literal(node)
        if text is None and isinstance(node, ast.Name):
            given = self.values.get(node.id, [])
            return given[0] if len(given) == 1 else None
        return text

    def note_names(self, value):
        """Of members that are read by a pattern, in the order in which they are written down."""
        entries = value.elts if isinstance(value, (ast.Tuple, ast.List, ast.Set)) else [value]
        for entry in entries:
            text = literal(entry)
            if text is None:
                self.hidden = True
            else:
                self.members.append(text)
