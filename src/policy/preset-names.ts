/**
 * The lists of names that the presets are made of.
 * Data only; whether a name is refused or allowed is said in `presets.ts`.
 */

function words(text: string): string[] {
  return text.split(" ");
}

/** The built-in functions of the textbook sandbox. */
export const STRICT_PYTHON_BUILTINS: readonly string[] = words(
  "abs min max sum len range enumerate sorted round float int str bool list dict tuple print",
);

/** Their counterparts, and what a program cannot be written without. */
export const STRICT_JAVASCRIPT_GLOBALS: readonly string[] = words(
  "Math Number parseInt parseFloat isNaN isFinite String Boolean Array Object Map console NaN Infinity undefined input result",
);

/** The standard library of Python as far as it only computes. */
export const PURE_PYTHON_MODULES: readonly string[] = [
  ...words("math cmath statistics decimal fractions numbers random secrets itertools functools operator"),
  ...words("collections heapq bisect array graphlib queue json csv re string textwrap difflib unicodedata struct html"),
  ...words("datetime calendar zoneinfo time dataclasses enum typing types abc copy contextlib contextvars pprint"),
  ...words("hashlib hmac base64 binascii zlib uuid urllib.parse ipaddress colorsys keyword io asyncio __future__"),
];

/** Modules of Python of which a part only computes: what a program uses of the others is told as `sys.modules`, all as `sys.*`. */
export const PARTLY_PURE_PYTHON_MODULES: readonly string[] = ["sys"];

/** The modules of which Python's inspector knows that they read no names but those that are written down. */
export const INSPECTED_PYTHON_MODULES: readonly string[] = [
  ...PURE_PYTHON_MODULES,
  ...PARTLY_PURE_PYTHON_MODULES,
  "sched",
  "stringprep",
];

/** The members through which JavaScript reaches prototypes and accessors behind a program's back: all that it has. */
export const JAVASCRIPT_DUNDERS: readonly string[] = words(
  "__proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__",
);

/** What everyday Python defines, calls and looks at. Not here: whatever leads from a value to frames, code or modules. */
export const EVERYDAY_PYTHON_DUNDERS: readonly string[] = [
  ...words("__init__ __new__ __post_init__ __init_subclass__ __set_name__ __slots__ __match_args__ __call__"),
  ...words("__repr__ __str__ __format__ __bytes__ __bool__ __hash__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__"),
  ...words("__len__ __length_hint__ __iter__ __next__ __reversed__ __contains__ __getitem__ __setitem__ __delitem__"),
  ...words("__missing__ __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __matmul__"),
  ...words("__rmatmul__ __imatmul__ __truediv__ __rtruediv__ __itruediv__ __floordiv__ __rfloordiv__ __ifloordiv__"),
  ...words("__mod__ __rmod__ __imod__ __divmod__ __rdivmod__ __pow__ __rpow__ __ipow__ __and__ __rand__ __iand__"),
  ...words("__or__ __ror__ __ior__ __xor__ __rxor__ __ixor__ __lshift__ __rlshift__ __ilshift__ __rshift__"),
  ...words("__rrshift__ __irshift__ __neg__ __pos__ __abs__ __invert__ __int__ __float__ __complex__ __index__"),
  ...words("__round__ __trunc__ __floor__ __ceil__ __sizeof__ __dir__ __del__"),
  ...words("__getattr__ __getattribute__ __setattr__ __delattr__ __instancecheck__ __subclasscheck__ __subclasshook__"),
  ...words("__enter__ __exit__ __aenter__ __aexit__ __aiter__ __anext__ __await__ __get__ __set__ __delete__"),
  ...words("__copy__ __deepcopy__ __class__ __class_getitem__ __name__ __qualname__ __doc__ __annotations__ __dict__"),
  ...words("__members__ __version__ __all__ __module__ __defaults__ __kwdefaults__ __wrapped__ __abstractmethods__"),
  ...words("__cause__ __context__ __suppress_context__ __notes__ __traceback__ __dataclass_fields__"),
  ...words("__origin__ __args__ __parameters__ __orig_bases__ __type_params__ __required_keys__ __optional_keys__"),
];

/** How Python gets from a generator, a coroutine or a traceback to frames and code, and from there to everything. */
export const PYTHON_FRAMES: readonly string[] = [
  ...words("f_back f_globals f_builtins f_locals f_code tb_frame gi_frame gi_code cr_frame cr_code ag_frame ag_code"),
  "cell_contents",
];

/** Global names of Python that begin and end with underscores and tell nothing of the host. */
export const EVERYDAY_PYTHON_GLOBALS: readonly string[] = words("__name__ __doc__ __debug__ __annotations__");
