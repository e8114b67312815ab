"""
The numbers of the operating system's errors: Linux's, which programs are written for, in place of WebAssembly's own.
What C code raises is translated on its way by the table that is made here; the module's code reads it (`error-numbers.ts`).
"""

import errno
import gc
import sys

# asm-generic/errno-base.h and asm-generic/errno.h of Linux, as far as CPython tells them.
_LINUX = """
EPERM 1 ENOENT 2 ESRCH 3 EINTR 4 EIO 5 ENXIO 6 E2BIG 7 ENOEXEC 8 EBADF 9 ECHILD 10 EWOULDBLOCK 11 EAGAIN 11 ENOMEM 12
EACCES 13 EFAULT 14 ENOTBLK 15 EBUSY 16 EEXIST 17 EXDEV 18 ENODEV 19 ENOTDIR 20 EISDIR 21 EINVAL 22 ENFILE 23
EMFILE 24 ENOTTY 25 ETXTBSY 26 EFBIG 27 ENOSPC 28 ESPIPE 29 EROFS 30 EMLINK 31 EPIPE 32 EDOM 33 ERANGE 34 EDEADLK 35
EDEADLOCK 35 ENAMETOOLONG 36 ENOLCK 37 ENOSYS 38 ENOTEMPTY 39 ELOOP 40 ENOMSG 42 EIDRM 43 ECHRNG 44 EL2NSYNC 45
EL3HLT 46 EL3RST 47 ELNRNG 48 EUNATCH 49 ENOCSI 50 EL2HLT 51 EBADE 52 EBADR 53 EXFULL 54 ENOANO 55 EBADRQC 56
EBADSLT 57 EBFONT 59 ENOSTR 60 ENODATA 61 ETIME 62 ENOSR 63 ENONET 64 ENOPKG 65 EREMOTE 66 ENOLINK 67 EADV 68
ESRMNT 69 ECOMM 70 EPROTO 71 EMULTIHOP 72 EDOTDOT 73 EBADMSG 74 EOVERFLOW 75 ENOTUNIQ 76 EBADFD 77 EREMCHG 78
ELIBACC 79 ELIBBAD 80 ELIBSCN 81 ELIBMAX 82 ELIBEXEC 83 EILSEQ 84 ERESTART 85 ESTRPIPE 86 EUSERS 87 ENOTSOCK 88
EDESTADDRREQ 89 EMSGSIZE 90 EPROTOTYPE 91 ENOPROTOOPT 92 EPROTONOSUPPORT 93 ESOCKTNOSUPPORT 94 EOPNOTSUPP 95
ENOTSUP 95 EPFNOSUPPORT 96 EAFNOSUPPORT 97 EADDRINUSE 98 EADDRNOTAVAIL 99 ENETDOWN 100 ENETUNREACH 101
ENETRESET 102 ECONNABORTED 103 ECONNRESET 104 ENOBUFS 105 EISCONN 106 ENOTCONN 107 ESHUTDOWN 108 ETOOMANYREFS 109
ETIMEDOUT 110 ECONNREFUSED 111 EHOSTDOWN 112 EHOSTUNREACH 113 EALREADY 114 EINPROGRESS 115 ESTALE 116 EUCLEAN 117
ENOTNAM 118 ENAVAIL 119 EISNAM 120 EREMOTEIO 121 EDQUOT 122 ENOMEDIUM 123 EMEDIUMTYPE 124 ECANCELED 125 ENOKEY 126
EKEYEXPIRED 127 EKEYREVOKED 128 EKEYREJECTED 129 EOWNERDEAD 130 ENOTRECOVERABLE 131 ERFKILL 132
"""
# A byte for each number that the C library has.
_NUMBERS = 256


def number_errors_as_linux():
    """
    Gives programs Linux's numbers, and returns where the table from the C library's numbers to these lies in memory.
    To be called once, when all modules are loaded, and before the collector forgets what is there.
    """
    global _error_numbers
    words = _LINUX.split()
    linux = dict(zip(words[::2], map(int, words[1::2])))
    own = {name: number for name, number in vars(errno).items() if name in linux}
    table = bytearray(range(_NUMBERS))
    for name, number in own.items():
        table[number] = linux[name]
    _number_classes(table)
    # Some have taken the numbers by name.
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name, number in own.items():
            if names.get(name) == number:
                names[name] = linux[name]
    vars(errno).update(linux)
    errno.errorcode.clear()
    errno.errorcode.update((number, name) for name, number in linux.items())
    # Kept, and never moved: there is nothing in it that could be.
    _error_numbers = bytes(table)
    return id(_error_numbers) + bytes.__basicsize__ - 1


def _number_classes(table):
    """`OSError(2, ...)` is a FileNotFoundError: which number makes which class is written in a dictionary of C's."""
    holders = gc.get_referrers(ProcessLookupError)
    [classes] = [it for it in holders if type(it) is dict and it and all(type(number) is int for number in it)]
    renumbered = {table[number]: kind for number, kind in classes.items()}
    classes.clear()
    classes.update(renumbered)
