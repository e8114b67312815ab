"""An exception as a person knows it: its type, its message, and where in the program it was raised.

Frames that are not of the program do not count. Never raises anything itself, short of memory: what a class of the
program's says of itself is asked for as little as can be, and where asking fails, that is what is told.
"""

import re
import sys
import traceback
import zoneinfo
from _json import encode_basestring_ascii as quote

PROGRAM = "<main>"
MAX_MESSAGE = 1000
MAX_LEAVES = 5
MAX_COUNTED = 1000
MAX_CAUSES = 4
# No program has so many lines, nor a line so many characters.
MAX_PLACE = 1 << 23
NO_CLASS = "class does not work here: the policy leaves out what makes one"
NO_INPUT = " (no `input` was given to this run: the name is that of Python's own function)"
UNREADABLE = "<exception str() failed>"
# As the interpreter has them, whatever a class says.
own_traceback = BaseException.__dict__["__traceback__"].__get__
own_cause = BaseException.__dict__["__cause__"].__get__
own_name = type.__dict__["__name__"].__get__
own_code = SystemExit.__dict__["code"].__get__
own_exceptions = BaseExceptionGroup.__dict__["exceptions"].__get__
find_close_name = traceback._compute_suggestion_error
loaded_modules, library_names = sys.modules, sys.stdlib_module_names
ADVISED = (ModuleNotFoundError, zoneinfo.ZoneInfoNotFoundError)


def clip(text, length=MAX_MESSAGE):
    """A plain text of it, whatever kind of text it is."""
    return str.__getitem__(text, slice(length))


def utf16_length(text):
    return len(text) + sum(1 for character in text if character > "\uffff")


def line_at(source, number):
    lines = source.split("\n", number)
    return lines[number - 1] if 1 <= number <= len(lines) else ""


def position_of(error, source):
    """Line and column, 1-based, of the innermost frame that is the program's; None where there is none."""
    found = None
    step = own_traceback(error)
    while step is not None:
        if step.tb_frame.f_code.co_filename == PROGRAM:
            found = step
        step = step.tb_next
    if found is None:
        return None
    line, column = found.tb_lineno, 0
    positions = list(found.tb_frame.f_code.co_positions())
    if 0 <= found.tb_lasti // 2 < len(positions):
        at, _, start, _ = positions[found.tb_lasti // 2]
        if at is not None:
            line, column = at, start or 0
    before = line_at(source, line).encode("utf-8", "surrogatepass")[:column]
    return line, utf16_length(before.decode("utf-8", "replace")) + 1


def syntax_position(error, source):
    name, line, offset = error.filename, error.lineno, error.offset
    if type(name) is not str or name != PROGRAM or type(line) is not int or line > MAX_PLACE:
        return None
    line = max(1, line)
    offset = min(max(1, offset), MAX_PLACE) if type(offset) is int else 1
    return line, utf16_length(line_at(source, line)[: offset - 1]) + 1


def text_of(error):
    if is_a(error, SyntaxError) and error.msg is not None:
        text = clip(error.msg)
    else:
        text = clip(str(error), MAX_MESSAGE * 2)
    if is_a(error, ADVISED):
        # What follows is advice for another place than this.
        text = text.split("\n", 1)[0].split(" \\n", 1)[0].strip('"')
    text = clip(text) + suggestion_of(error)
    notes = getattr(error, "__notes__", None)
    if type(notes) is list:
        text = "\n".join([clip(text), *(clip(note) for note in notes if is_a(note, str))])
    return clip(text)


def suggestion_of(error):
    """What CPython adds in a traceback: the name that was meant, or the module that is to be imported."""
    is_import = is_a(error, ImportError)
    if not is_import and not is_a(error, (NameError, AttributeError)):
        return ""
    try:
        name = getattr(error, "name_from" if is_import else "name", None)
        # To look into a module that is not there would load it.
        if type(name) is not str or (is_import and error.name not in loaded_modules):
            return ""
        meant = find_close_name(error, own_traceback(error), name)
        told = f". Did you mean: '{clip(meant, 100)}'?" if meant else ""
        if is_a(error, NameError) and name in library_names:
            told += f"{' Or did' if told else '. Did'} you forget to import '{name}'?"
        return told
    except MemoryError:
        raise
    except BaseException:
        return ""


def safe_text(error):
    try:
        return text_of(error)
    except MemoryError:
        raise
    except BaseException:
        return UNREADABLE


def short(error, source):
    where = find(error, source)
    text = safe_text(error)
    return f"{name_of(error)}{': ' if text else ''}{text}{f' (line {where[0]})' if where else ''}"


def leaves(group):
    """In their order, as many as are counted: groups that hold one another twice have more than there is memory for."""
    found, pending = [], [group]
    while pending and len(found) < MAX_COUNTED:
        error = pending.pop()
        if is_a(error, BaseExceptionGroup):
            pending += reversed(own_exceptions(error))
        else:
            found.append(error)
    return found


def name_of(error):
    name = clip(own_name(type(error)), 81)
    return name if name.isidentifier() and len(name) <= 80 else "Exception"


def find(error, source):
    where = syntax_position(error, source) if is_a(error, SyntaxError) else None
    return where or position_of(error, source)


def message_of(error, source):
    message = safe_text(error)
    if is_a(error, BaseExceptionGroup):
        inner = leaves(error)
        told = [short(leaf, source) for leaf in inner[:MAX_LEAVES]]
        if len(inner) > MAX_LEAVES:
            told.append("many more" if len(inner) == MAX_COUNTED else f"{len(inner) - MAX_LEAVES} more")
        message = f"{message}: {'; '.join(told)}"
    causes = [short(cause, source) for cause in causes_of(error)]
    if causes:
        message = f"{message}{' ' if message else ''}(caused by {', caused by '.join(causes)})"
    return message[:MAX_MESSAGE]


def causes_of(error):
    """What it was raised from, and what that was raised from: each once, and no more than a person reads."""
    found = [error]
    while len(found) <= MAX_CAUSES:
        cause = own_cause(found[-1])
        if cause is None or any(cause is one for one in found):
            break
        found.append(cause)
    return found[1:]


mentions_input = re.compile(r"\binput\b").search


def describe(error, source, has_input=True):
    """"E" and name, message, line and column as JSON."""
    try:
        message = message_of(error, source)
        if type(error) is NameError and message == "__build_class__ not found":
            message = NO_CLASS
        where = find(error, source)
        if not has_input and where and "builtin_function_or_method" in message and mentions_input(line_at(source, where[0])):
            message += NO_INPUT
        if where is None and is_a(error, BaseExceptionGroup):
            where = next((place for leaf in leaves(error) if (place := find(leaf, source))), None)
        return written(error, message, where)
    except MemoryError:
        raise
    except BaseException:
        return written(error, UNREADABLE, None)


def written(error, message, where):
    told = f'"name":{quote(name_of(error))},"message":{quote(message)}'
    if where is not None and where[0] <= MAX_PLACE and where[1] <= MAX_PLACE:
        told += f',"line":{where[0]},"column":{where[1]}'
    return f"E{{{told}}}"


def hide_our_frames():
    """Tracebacks that a program prints are of the program and the library: nothing of ours is in them."""
    shown = traceback.StackSummary._extract_from_extended_frame_gen

    def extract(cls, frames, **options):
        kept = [
            (frame, where)
            for frame, where in frames
            if not frame.f_code.co_filename.startswith("<sallyport")
            and not frame.f_code.co_filename.endswith(("/_pyodide/_base.py", "/pyodide/code.py"))
        ]
        return shown.__func__(cls, iter(kept), **options)

    traceback.StackSummary._extract_from_extended_frame_gen = classmethod(extract)
