"""
Walks the syntax of a program once, in the order of evaluation, and notes what is bound, read, accessed and imported.
Judges nothing, runs nothing. Keeps a stack of its own: a deep program must not end the interpreter.
"""

import ast

from manifest_imports import ImportWalker
from manifest_names import CODE_MAKERS, REACHING, is_private
from manifest_scope import Scope
from manifest_survey import Survey
from manifest_text import literal, parse_text
from manifest_uses import makes_class

MAX_NODES = 60_000
MAX_TEXT_CHARS = 1000
_SILENT = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class TooLarge(Exception):
    """There is more than the inspector reads."""


class Walker(ImportWalker):
    def __init__(self):
        self.survey = Survey()
        self.stack = []
        self.nodes = 0

    def run(self, tree):
        """@raise TooLarge"""
        self.push([tree], Scope("module", None), None, True, 0)
        while self.stack:
            self.nodes += 1
            if self.nodes > MAX_NODES:
                raise TooLarge
            node, scope, parent, sure, depth = self.stack.pop()
            if isinstance(node, str):
                # A binding that takes place between two nodes.
                self.bind(node, scope, sure, parent)
                continue
            self.survey.nesting = max(self.survey.nesting, depth)
            visit = _VISITS.get(type(node).__name__, Walker.children)
            visit(self, node, scope, parent, sure, depth)
        return self.survey

    def push(self, nodes, scope, parent, sure, depth):
        """To be walked before whatever has been pushed until now, and in this order."""
        self.stack.extend(
            (node, scope, parent, sure, depth)
            for node in reversed(list(nodes))
            if node is not None and not isinstance(node, _SILENT)
        )

    def children(self, node, scope, parent, sure, depth):
        self.push(ast.iter_child_nodes(node), scope, node, sure, depth)

    def bind(self, name, scope, sure, text=None):
        if is_private(name) or name in REACHING:
            self.survey.own.add(name)
        self.survey.values.setdefault(name, []).append(text)
        scope.bind(scope.mangle(name), self.nodes, sure)

    # Names, members, texts.

    def name(self, node, scope, parent, sure, depth):
        if isinstance(node.ctx, ast.Load):
            self.survey.reads.append((scope.mangle(node.id), scope, self.nodes, node, parent))
        elif isinstance(node.ctx, ast.Del):
            scope.unbind(scope.mangle(node.id))
        else:
            # In a loop, a tuple, a `with`: what it is given is not written there.
            self.survey.hidden |= node.id == "__match_args__" and not isinstance(parent, ast.Assign)
            self.bind(node.id, scope, sure)

    def attribute(self, node, scope, parent, sure, depth):
        self.survey.accesses.append((scope.mangle(node.attr), node, parent))
        if isinstance(node.ctx, ast.Store):
            self.survey.stored.add(node.attr)
        self.push([node.value], scope, node, sure, depth)

    def text(self, node, scope, parent, sure, depth):
        found = literal(node)
        if found is None:
            self.children(node, scope, parent, sure, depth)
        elif len(found) < MAX_TEXT_CHARS:
            self.survey.texts.add(found)

    # Statements that bind.

    def assign(self, node, scope, parent, sure, depth):
        self.push(node.targets, scope, node, sure, depth)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            self.stack.pop()
            self.stack.append((target.id, scope, literal(node.value), sure, depth))
        self.push([node.value], scope, node, sure, depth)
        if any(isinstance(each, ast.Name) and each.id in ("__match_args__", "__slots__") for each in node.targets):
            self.survey.note_names(node.value)

    def annotated(self, node, scope, parent, sure, depth):
        if isinstance(node.target, ast.Name):
            sure_here = sure and node.value is not None
            self.stack.append((node.target.id, scope, literal(node.value), sure_here, depth))
            if node.target.id == "__match_args__":
                self.survey.note_names(node.value)
        else:
            self.push([node.target], scope, node, sure, depth)
        self.push([node.value], scope, node, sure, depth)
        self.annotation(node.annotation, scope, sure, depth)

    def augmented(self, node, scope, parent, sure, depth):
        if isinstance(node.target, ast.Name):
            target = node.target.id
            self.survey.reads.append((scope.mangle(target), scope, self.nodes, node.target, node))
            self.push([node.value, target], scope, None, sure, depth)
        else:
            self.push([node.target, node.value], scope, node, sure, depth)

    def walrus(self, node, scope, parent, sure, depth):
        target = scope
        while target.kind == "function" and target.comprehension:
            target = target.parent
        self.push([node.target.id], target, literal(node.value), False, depth)
        self.push([node.value], scope, node, sure, depth)

    def outside(self, node, scope, parent, sure, depth):
        for name in node.names:
            # A nonlocal name is bound further out, where it is looked up without being named here.
            if isinstance(node, ast.Global) and scope.parent:
                scope.outside.add(scope.mangle(name))

    # Scopes.

    def inner_types(self, node, scope, depth):
        """The scope of `[T]` after a name, where there is one."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return scope, []
        inner = Scope("function", scope)
        for parameter in parameters:
            inner.bind(parameter.name, 0, True)
        return inner, [(child, inner, node, True, depth) for each in parameters for child in ast.iter_child_nodes(each)]

    def function(self, node, scope, parent, sure, depth):
        types, before = self.inner_types(node, scope, depth)
        body = Scope("function", types)
        arguments = node.args
        everyone = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        everyone = [each for each in everyone if each is not None]
        for each in everyone:
            self.bind(each.arg, body, True)
        is_lambda = isinstance(node, ast.Lambda)
        self.push([node.body] if is_lambda else node.body, body, node, True, depth + (not is_lambda))
        if not is_lambda:
            self.push([node.name], scope, None, sure, depth)
            for each in [*(each.annotation for each in everyone), node.returns]:
                self.annotation(each, types, sure, depth)
            self.stack.extend(reversed(before))
        self.push([*arguments.defaults, *arguments.kw_defaults], scope, node, sure, depth)
        if not is_lambda:
            self.push(node.decorator_list, scope, node, sure, depth)

    def class_(self, node, scope, parent, sure, depth):
        self.survey.hidden |= any(each.arg is None for each in node.keywords)
        types, before = self.inner_types(node, scope, depth)
        self.push([node.name], scope, None, sure, depth)
        self.push(node.body, Scope("class", types, node.name), node, sure, depth + 1)
        self.push([*node.bases, *node.keywords], types, node, sure, depth)
        self.stack.extend(reversed(before))
        self.push(node.decorator_list, scope, node, sure, depth)

    def alias(self, node, scope, parent, sure, depth):
        types, before = self.inner_types(node, scope, depth)
        self.push([node.name.id], scope, None, sure, depth)
        self.annotation(node.value, types, sure, depth)
        self.stack.extend(reversed(before))

    def comprehension(self, node, scope, parent, sure, depth):
        inner = Scope("function", scope)
        inner.comprehension = True
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.push(results, inner, node, True, depth + 1)
        for position, each in reversed(list(enumerate(node.generators))):
            self.survey.loops += 1
            self.push(each.ifs, inner, node, True, depth + 1)
            self.push([each.target], inner, node, True, depth + 1)
            self.push([each.iter], inner if position else scope, node, sure, depth + 1)

    # Statements whose parts may not run.

    def branches(self, node, scope, parent, sure, depth):
        """The first part always runs, what is in a block perhaps."""
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            self.survey.loops += 1
        for name, value in reversed(list(ast.iter_fields(node))):
            if isinstance(value, list):
                is_block = name != "items"
                # `elif` is no deeper than its `if`.
                is_elif = name == "orelse" and len(value) == 1 and isinstance(value[0], ast.If)
                self.push(value, scope, node, sure and not is_block, depth + (is_block and not is_elif))
            elif isinstance(value, ast.AST):
                self.push([value], scope, node, sure and name != "target", depth)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            # What is looped over comes before the target: the fields are in the other order.
            first, second = self.stack[-1], self.stack[-2]
            self.stack[-1], self.stack[-2] = second, first

    def handler(self, node, scope, parent, sure, depth):
        if node.name:
            # The name is gone after it: that of a built-in means the built-in again.
            self.push([ast.Name(node.name, ast.Del())], scope, node, False, depth)
        self.push(node.body, scope, node, False, depth + 1)
        if node.name:
            self.push([node.name], scope, None, False, depth)
        self.push([node.type], scope, node, sure, depth)

    def perhaps(self, node, scope, parent, sure, depth):
        self.push(ast.iter_child_nodes(node), scope, node, False, depth)

    def captured(self, node, scope, parent, sure, depth):
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self.push([name], scope, None, False, depth)
        self.push(ast.iter_child_nodes(node), scope, node, False, depth)

    def class_pattern(self, node, scope, parent, sure, depth):
        self.survey.members += [scope.mangle(name) for name in node.kwd_attrs]
        self.survey.positional |= bool(node.patterns)
        self.push(ast.iter_child_nodes(node), scope, node, False, depth)

    # Brackets.

    def call(self, node, scope, parent, sure, depth):
        first = node.args[0] if node.args else None
        if isinstance(node.func, ast.Name) and node.func.id in CODE_MAKERS and first is not None:
            self.push([parse_text(self.survey.told(first))], scope, node, False, depth)
        self.survey.hidden |= makes_class(node)
        self.push([*node.args, *node.keywords], scope, node, sure, depth + 1)
        self.push([node.func], scope, node, sure, depth)

    def keyword(self, node, scope, parent, sure, depth):
        if node.arg and is_private(node.arg):
            self.survey.own.add(node.arg)
        # What looks at a keyword looks at the call.
        self.push([node.value], scope, parent, sure, depth)

    def subscript(self, node, scope, parent, sure, depth):
        self.push([node.slice], scope, node, sure, depth + 1)
        self.push([node.value], scope, node, sure, depth)

    def bracket(self, node, scope, parent, sure, depth):
        self.push(ast.iter_child_nodes(node), scope, node, sure, depth + 1)

    def annotation(self, node, scope, sure, depth):
        """A text in an annotation may be evaluated: what it mentions is mentioned."""
        self.push([node], scope, None, sure, depth)
        pending = [node] if node is not None else []
        while pending:
            part = pending.pop()
            text = literal(part)
            if text is not None:
                self.push([parse_text(text)], scope, None, False, depth)
                continue
            is_literal = isinstance(part, ast.Subscript) and "Literal" in (getattr(part.value, "id", ""), getattr(part.value, "attr", ""))
            if not is_literal:
                pending += ast.iter_child_nodes(part)


_VISITS = {
    **dict.fromkeys(["Constant", "BinOp", "JoinedStr"], Walker.text),
    **dict.fromkeys(["FunctionDef", "AsyncFunctionDef", "Lambda"], Walker.function),
    **dict.fromkeys(["ListComp", "SetComp", "DictComp", "GeneratorExp"], Walker.comprehension),
    **dict.fromkeys(["If", "While", "For", "AsyncFor", "With", "AsyncWith", "Try", "TryStar", "Match"], Walker.branches),
    **dict.fromkeys(["MatchAs", "MatchStar", "MatchMapping"], Walker.captured),
    **dict.fromkeys(["BoolOp", "IfExp", "match_case"], Walker.perhaps),
    **dict.fromkeys(["List", "Tuple", "Set", "Dict"], Walker.bracket),
    **dict.fromkeys(["Global", "Nonlocal"], Walker.outside),
    "Name": Walker.name,
    "Attribute": Walker.attribute,
    "Assign": Walker.assign,
    "AnnAssign": Walker.annotated,
    "AugAssign": Walker.augmented,
    "NamedExpr": Walker.walrus,
    "Import": Walker.importing,
    "ImportFrom": Walker.taking,
    "ClassDef": Walker.class_,
    "TypeAlias": Walker.alias,
    "ExceptHandler": Walker.handler,
    "MatchClass": Walker.class_pattern,
    "Call": Walker.call,
    "keyword": Walker.keyword,
    "Subscript": Walker.subscript,
}
