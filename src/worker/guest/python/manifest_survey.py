"""
What the walk has noted of a program: names, members, imports, texts. Nothing is judged here.
"""

from manifest_text import format_members


class Survey:
    def __init__(self):
        self.reads = []  # (name, scope, order, node, parent)
        self.accesses = []  # (name, node, parent)
        self.modules = []  # names of modules that import statements load
        self.aliases = {}  # bound name: the module that it stands for
        self.taken = []  # (module, name, bound name) of `from module import name`
        self.handed = set()  # names that import statements bind in a class, whose members they are
        self.members = []  # names that are read without an attribute in the syntax: patterns
        self.hidden = False  # such names that are not written down
        self.own = set()  # names that the program binds
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
