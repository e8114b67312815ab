"""An exception as a person knows it: its type, its message, and where in the program it was raised.

Frames that are not of the program do not count. Never raises anything itself, short of memory.
"""

import json
import traceback
import zoneinfo

PROGRAM = "<main>"
MAX_MESSAGE = 1000
ADVISED = (ModuleNotFoundError, zoneinfo.ZoneInfoNotFoundError)


def utf16_length(text):
    return len(text) + sum(1 for character in text if character > "\uffff")


def line_at(source, number):
    lines = source.split("\n", number)
    return lines[number - 1] if 1 <= number <= len(lines) else ""


def position_of(error, source):
    """Line and column, 1-based, of the innermost frame that is the program's; None where there is none."""
    found = None
    step = error.__traceback__
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
    if error.filename != PROGRAM or error.lineno is None:
        return None
    line = max(1, error.lineno)
    offset = max(1, error.offset or 1)
    return line, utf16_length(line_at(source, line)[: offset - 1]) + 1


def text_of(error):
    if isinstance(error, SyntaxError) and error.msg is not None:
        text = error.msg
    else:
        text = str(error)
    if isinstance(error, ADVISED):
        # What follows is advice for another place than this.
        text = text.split("\n", 1)[0].split(" \\n", 1)[0].strip('"')
    if isinstance(error, zoneinfo.ZoneInfoNotFoundError):
        text = f"{text.strip(chr(39)).rstrip('.')}: only UTC is there, and fixed offsets by datetime.timezone."
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, list):
        text = "\n".join([text, *(note for note in notes if isinstance(note, str))])
    return text[:MAX_MESSAGE]


def safe_text(error):
    try:
        return text_of(error)
    except MemoryError:
        raise
    except BaseException:
        return "(the message cannot be read)"


def short(error, source):
    where = find(error, source)
    text = safe_text(error)
    return f"{name_of(error)}{': ' if text else ''}{text}{f' (line {where[0]})' if where else ''}"


def leaves(group):
    found = []
    pending = list(group.exceptions)
    while pending and len(found) < 5:
        error = pending.pop(0)
        if isinstance(error, BaseExceptionGroup):
            pending = [*error.exceptions, *pending]
        else:
            found.append(error)
    return found


def name_of(error):
    name = type(error).__name__
    return name if isinstance(name, str) and name.isidentifier() and len(name) <= 80 else "Exception"


def find(error, source):
    where = syntax_position(error, source) if isinstance(error, SyntaxError) else None
    return where or position_of(error, source)


def message_of(error, source):
    message = safe_text(error)
    if isinstance(error, BaseExceptionGroup):
        inner = "; ".join(short(leaf, source) for leaf in leaves(error))
        message = f"{message}: {inner}"
    cause = error.__cause__
    if isinstance(cause, BaseException) and cause is not error:
        message = f"{message}{' ' if message else ''}(caused by {short(cause, source)})"
    return message[:MAX_MESSAGE]


def describe(error, source):
    """"E" and name, message, line and column as JSON."""
    told = {"name": name_of(error), "message": message_of(error, source)}
    where = find(error, source)
    if where is None and isinstance(error, BaseExceptionGroup):
        where = next((place for leaf in leaves(error) if (place := find(leaf, source))), None)
    if where is not None:
        told["line"], told["column"] = where
    return "E" + json.dumps(told)


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
