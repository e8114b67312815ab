"""Runs one program in a fresh `__main__` and tells its end as one text, whose first letter says what it is.

R a value · N no value · O a value too large · E an error · D a deadlock · T too many timers · I a manifest.
"""

import ast
import asyncio
import atexit
import builtins
import inspect
import json
import linecache
import random
import sys
import types

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
STDOUT, STDERR = sys.stdout, sys.stderr
OUT_OF_MEMORY = 'E{"name":"MemoryError","message":""}'
# From `run` down to `run_plainly` or its like: they stand below a program's own.
OUR_FRAMES = 4
# CPython's own, for the program's frames.
RECURSION_LIMIT = 1000 + OUR_FRAMES
LONGEST_NUMBER = sys.int_info.default_max_str_digits
DECLARED = (types.FunctionType, type)
COROUTINE, AWAITABLE = types.CoroutineType, (types.CoroutineType, asyncio.Future)
# What ends with the program, by the interpreter's own: what a program makes of `sys` and `atexit` is not asked.
set_trace, set_profile, run_exit_functions = sys.settrace, sys.setprofile, atexit._run_exitfuncs
usual_hook = sys.excepthook


def parse_program(source):
    """The statements, and the last of them apart where it is an expression."""
    tree = compile(source, PROGRAM, "exec", FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    body = compile(tree, PROGRAM, "exec", FLAGS, dont_inherit=True)
    # The two halves share what the first says of the future.
    future = body.co_flags & FUTURES
    return body, last and compile(last, PROGRAM, "eval", FLAGS | future, dont_inherit=True)


FUTURES = 0
for _name in __import__("__future__").all_feature_names:
    FUTURES |= getattr(__import__("__future__"), _name).compiler_flag


def is_coroutine(code):
    return code is not None and bool(code.co_flags & inspect.CO_COROUTINE)


async def run_async(body, last, scope):
    made = eval(body, scope)
    if made is not None:
        await made
    if last is None:
        return None
    value = eval(last, scope)
    if is_coroutine(last):
        value = await value
    return await value if issubclass(type(value), AWAITABLE) else value


def run_plainly(body, last, scope):
    eval(body, scope)
    return None if last is None else eval(last, scope)


async def follow(value):
    return await value


def execute(body, last, scope):
    if is_coroutine(body) or is_coroutine(last):
        with asyncio.Runner() as runner:
            return runner.run(run_async(body, last, scope))
    value = run_plainly(body, last, scope)
    # Not by `is_a`, here and above: the program's own trace function would be told of that call.
    if issubclass(type(value), COROUTINE):
        with asyncio.Runner() as runner:
            return runner.run(follow(value))
    return value


def create_scope(input_text):
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    if input_text is not None:
        main.__dict__["input"] = json.loads(input_text)
    return main.__dict__


def value_of(scope, last, limit):
    """The order of the contract: `result`, the last expression, the last printed line (which the shell knows)."""
    if "result" in scope:
        value = scope["result"]
        is_declared = is_a(value, DECLARED) and getattr(value, "__qualname__", "") == "result"
        if not is_declared:
            return encode_value(value, limit)
    return "N" if last is None else encode_value(last, limit)


def is_plain_exit(error):
    if not is_a(error, SystemExit):
        return False
    code = own_code(error)
    return code is None or (type(code) in (int, bool) and code == 0)


def finish_output():
    """As at CPython's exit: what the program left to be called, and what its own streams hold, then ours."""
    run_exit_functions()
    given = vars(sys)
    for stream in (given.get("stdout"), given.get("stderr"), STDOUT, STDERR):
        try:
            stream.flush()
        except BaseException:
            pass


def call_hook(error):
    """What a program put there to be told of its exception; the usual one would print what the observation tells."""
    hook = vars(sys).get("excepthook")
    if hook is not None and hook is not usual_hook:
        step = own_traceback(error)
        while step is not None and step.tb_frame.f_code.co_filename != PROGRAM:
            step = step.tb_next
        try:
            hook(type(error), error, step)
        except BaseException:
            pass


def let_go(scope):
    """As CPython does at its exit, in its order: objects that only the program's names hold are told that they end."""
    names = [name for name in scope if type(name) is str and name != "__builtins__"]
    is_private = [name[:1] == "_" and name[1:2] != "_" for name in names]
    for chosen in (True, False):
        for name, private in zip(names, is_private):
            if private is chosen:
                scope[name] = None


def run_program(source, input_text, limit, names, modules, dynamic_code):
    linecache.cache[PROGRAM] = (len(source), None, source.splitlines(True), PROGRAM)
    scope, last, answer = {}, None, None
    try:
        body, last_code = parse_program(source)
        scope = create_scope(input_text)
        restrict(scope, names, modules, dynamic_code)
        last = execute(body, last_code, scope)
    except BaseException as error:
        set_trace(None)
        set_profile(None)
        if not is_plain_exit(error):
            answer = describe(error, source, input_text is not None)
            call_hook(error)
    finally:
        set_trace(None)
        set_profile(None)
        finish_output()
    try:
        return answer or value_of(scope, last, limit)
    except BaseException as error:
        return describe(error, source)
    finally:
        last = None
        let_go(scope)
        finish_output()


def read_names(text):
    return None if text is None else json.loads(text)


def run(source, input_text, limit, max_turns, seed, names, modules, dynamic_code):
    """
    limit: bytes of the result.
    seed: a number for `random`, which would ask the shell for thousands of bytes itself.
    names, modules: what a program is left with, see `restrict`; as JSON, or None.
    """
    Clock.stopped, Clock.turns, Clock.max_turns = None, 0, max_turns
    # What was run before, to warm the interpreter up, left others: a value is encoded with more room than a program has.
    set_recursion_limit(RECURSION_LIMIT)
    set_longest_number(LONGEST_NUMBER)
    random.seed(seed)
    try:
        answer = run_program(source, input_text, limit, read_names(names), read_names(modules), dynamic_code)
    except MemoryError:
        answer = OUT_OF_MEMORY
    return Clock.stopped or answer


def rehearse(*order):
    """A program of ours, run to warm the interpreter up: what the library calls at an end is for the program's."""
    global run_exit_functions
    at_end, run_exit_functions = run_exit_functions, lambda: None
    try:
        return run(*order)
    finally:
        run_exit_functions = at_end


def inspect_program(source):
    return "I" + manifest(source)


def sallyport_start(advance):
    """
    Once for each interpreter. advance: the shell's way to move the clock.
    Gives what runs a program, what reads one, and what runs one of ours.
    """
    Clock.advance = advance
    return run, inspect_program, rehearse
