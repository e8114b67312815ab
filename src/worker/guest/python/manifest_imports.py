"""
The part of the walk that reads import statements: which modules they load, what they take, and under which names.
Notes what is written there, whether or not there is such a module; loads nothing.
"""


class ImportWalker:
    def importing(self, node, scope, parent, sure, depth):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.survey.modules.append(alias.name)
            for name in self.import_as(alias.asname or top, scope, sure):
                self.survey.aliases.setdefault(name, set()).add(alias.name if alias.asname else top)

    def taking(self, node, scope, parent, sure, depth):
        module = "." * node.level + (node.module or "")
        self.survey.modules.append(module)
        for alias in node.names:
            bound = alias.asname or alias.name
            for name in self.import_as(bound, scope, sure) if bound != "*" else ["*"]:
                self.survey.taken.append((module, alias.name, name))

    def import_as(self, name, scope, sure):
        """Binds it. The names under which it is read: one with two underscores has another inside of a class."""
        self.bind(name, scope, sure)
        found = {name, scope.mangle(name)}
        if scope.kind == "class":
            self.survey.handed |= found
        return found
