"""
Texts that a program holds: which text an expression surely is, and what a text would be as code or as a format.
Parses only; nothing is evaluated. Whatever is not certain is None.
"""

import ast
from _string import formatter_field_name_split
from string import Formatter

MAX_TEXT_CHARS = 4000
MAX_PARTS = 200


def literal(node):
    """The text that `node` surely is: written in one piece, or put together from such texts."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    parts = []
    pending = [node]
    while pending and len(parts) + len(pending) < MAX_PARTS:
        part = pending.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            pending += [part.right, part.left]
        elif isinstance(part, ast.JoinedStr):
            pending += reversed(part.values)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            parts.append(part.value)
        else:
            return None
    return None if pending else "".join(parts)


def parse_text(text):
    """The syntax of a text that may become code; None where it is none."""
    if text is None or len(text) > MAX_TEXT_CHARS:
        return None
    try:
        return ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def has_calls(text):
    """Whether it would do anything as code: call something, or read a member."""
    tree = parse_text(text) if "(" in text or "." in text else None
    return tree is not None and any(isinstance(node, (ast.Call, ast.Attribute)) for node in ast.walk(tree))


def format_members(text, depth=2):
    """The attributes that `text.format(…)` reads; None where it cannot be said."""
    members = []
    try:
        for _, field, spec, _ in Formatter().parse(text):
            if field is None:
                continue
            _, rest = formatter_field_name_split(field)
            members += [key for is_attribute, key in rest if is_attribute]
            if spec and depth:
                members += format_members(spec, depth - 1) or []
    except (ValueError, TypeError):
        return None
    return members

