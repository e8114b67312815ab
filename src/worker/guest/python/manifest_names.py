"""
The names of Python that mean something to the inspector.
Lists only; a name that is missing here makes the manifest say less, never more.
"""

import builtins
import sys


def _words(text):
    return frozenset(text.split())


BUILTINS = frozenset(dir(builtins)) | _words("help breakpoint __loader__ __spec__ __builtins__ __import__")
STANDARD_LIBRARY = frozenset(sys.stdlib_module_names)

# Modules whose functions read no names that the program has not written down, but for those listed below.
PLAIN_MODULES = _words(
    "math cmath statistics decimal fractions numbers random secrets itertools functools operator collections heapq "
    "bisect array graphlib json csv re string textwrap difflib unicodedata struct datetime calendar zoneinfo time "
    "dataclasses enum typing types abc copy contextlib pprint hashlib hmac base64 binascii uuid asyncio __future__ "
    "io queue zlib colorsys stringprep sched keyword html ipaddress contextvars"
)

# Plain modules that hold nothing but numbers and what computes with them: taken as a whole they read no names either.
NUMBER_MODULES = _words("math cmath")

# Parts of other modules that are plain all the same.
PLAIN_PARTS = _words("urllib.parse")

# Of modules that are not plain: the members that are, and lead to no module, frame or hook.
PLAIN_MEMBERS = {
    "sys": _words(
        "api_version argv byteorder copyright exc_info exception exit flags float_info float_repr_style "
        "get_int_max_str_digits getdefaultencoding getfilesystemencoding getrecursionlimit getrefcount getsizeof hash_info "
        "hexversion implementation int_info intern is_finalizing maxsize maxunicode platform set_int_max_str_digits "
        "setrecursionlimit stderr stdin stdout version version_info"
    ),
}

# Those of them that a program may set: nothing of the library's makes code of them.
CHANGEABLE_MEMBERS = {"sys": _words("argv stderr stdin stdout")}

# Members of the program's own streams: a file as such, whose class opens others.
STREAM_PARTS = _words("raw detach")

# Members that may be any module that the program has imported: an AttributeError keeps what was asked.
GIVE_MODULES = _words("obj")

# Modules that turn text or bytes into code, or lead out of Python.
CODE_MODULES = _words(
    "pickle _pickle cPickle marshal shelve dill cloudpickle joblib code codeop runpy ctypes _ctypes cffi imp zipimport "
    "js pyodide pyodide_js _pyodide _pyodide_core timeit profile cProfile bdb pdb trace doctest _testcapi "
    "_testinternalcapi _interpreters _xxsubinterpreters interpreters test idlelib"
)

# Parts of plain modules that are none.
CODE_PARTS = _words("asyncio.tools")

CODE_MAKERS = _words("eval exec compile")

# What makes a function, or runs text, wherever it is a member of.
CODE_MEMBERS = _words("FunctionType LambdaType CodeType ForwardRef run_js eval_code exec_module exec_code load_module")

# Reads or writes an attribute: the name is the second argument.
BY_NAME = _words("getattr setattr delattr hasattr getattr_static")

# Reads or writes an attribute of the value it belongs to: the name is the first argument, or the second of two.
BY_NAME_MEMBERS = _words("__getattribute__ __getattr__ __setattr__ __delattr__")

# Hands out all that a value or a module holds.
ALL_VALUES = _words("vars globals locals")

# Reads attributes by the names in a text.
FORMATS = _words("format format_map")

# Members that read, write or hand out by names which are no part of the syntax.
COMPUTED_MEMBERS = _words(
    "vformat get_field get_value check_unused_args make_dataclass new_class prepare_class global_enum _convert_ "
    "getmembers getmembers_static resolve_name __dict__ __prepare__ __match_args__ attrname _attr_type _cls_type _stream "
    "_old_targets __dataclass_fields__ __slotnames__"
)

# What a class answers for: after it, a pattern fits whatever it is held against, and a copy is made as the class likes.
CLASS_ANSWERS = _words(
    "__instancecheck__ __subclasscheck__ __subclasshook__ __prepare__ __reduce__ __reduce_ex__ __class_getitem__"
)

# Where the types of fields stand, from which code is made.
ANNOTATIONS = _words("__annotations__ __annotate__ __annotate_func__ __conditional_annotations__")

# Their arguments are names of attributes.
NAME_TAKERS = _words("attrgetter methodcaller")

# Copies attributes: which, can be said by a further argument.
COPIERS = {"wraps": 1, "update_wrapper": 2}

# Lead from any value to modules, frames, code or all classes.
REACHING = _words(
    "__subclasses__ __globals__ __builtins__ __loader__ __spec__ __self__ __closure__ cell_contents __reduce__ "
    "__reduce_ex__ __code__ __import__ f_globals f_builtins f_locals f_back f_code tb_frame gi_frame cr_frame ag_frame "
    "gi_code cr_code ag_code cr_origin _getframe _current_frames settrace setprofile get_objects get_referrers "
    "get_referents import_module find_spec load_module exec_module meta_path path_hooks mro capture_call_graph get_stack"
)

# What `open` is called in the module that it comes from.
FILE_OPENERS = _words("open open_code FileIO")

# Evaluate the texts of annotations.
EVALUATORS = _words("get_type_hints evaluate_forward_ref get_annotations call_annotate_function singledispatch singledispatchmethod")

# A text that is one of these is a mention, wherever names are computed.
TELLING = _words(
    "__subclasses__ __globals__ __builtins__ __loader__ __spec__ __closure__ __code__ __import__ __bases__ __base__ "
    "__mro__ __getattribute__ __reduce__ __reduce_ex__ f_globals f_builtins f_locals f_back gi_frame tb_frame"
)

# Kept in a list whatever its length: padding must not push them out.
ALWAYS_KEPT = (
    CODE_MAKERS | CODE_MEMBERS | BY_NAME | BY_NAME_MEMBERS | ALL_VALUES | REACHING | TELLING | CODE_MODULES
    | _words("open breakpoint help os sys subprocess socket io builtins importlib shutil pathlib urllib threading")
    | _words("multiprocessing signal inspect gc __class__ __mro__ __dict__ system popen spawn fork")
)


def is_plain(module):
    return module.partition(".")[0] in PLAIN_MODULES or module in PLAIN_PARTS


def is_private(name):
    """A name that its author marks as private; a lone `_` is the usual name of what is not used."""
    return name.startswith("_") and name != "_"
