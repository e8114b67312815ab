/**
 * The system calls that a worker may make, as data: name, number on x64, number on arm64 (null: there is none).
 * Everything else does not exist for it. What a new Node needs is added here, after it was seen in a trace.
 */

export interface CallNumbers {
  readonly x64: number | null;
  readonly arm64: number | null;
}

const call = (x64: number | null, arm64: number | null): CallNumbers => ({ x64, arm64 });

/** Allowed whatever their arguments are. */
export const ALLOWED_CALLS: Readonly<Record<string, CallNumbers>> = {
  // Input and output on what is open already.
  read: call(0, 63),
  write: call(1, 64),
  readv: call(19, 65),
  writev: call(20, 66),
  pread64: call(17, 67),
  lseek: call(8, 62),
  close: call(3, 57),
  fcntl: call(72, 25),
  dup: call(32, 23),
  dup3: call(292, 24),
  poll: call(7, null),
  ppoll: call(271, 73),
  pipe2: call(293, 59),
  eventfd2: call(290, 19),
  epoll_create1: call(291, 20),
  epoll_ctl: call(233, 21),
  epoll_wait: call(232, null),
  epoll_pwait: call(281, 22),
  getsockopt: call(55, 209),
  getsockname: call(51, 204),
  // Looking at files, in a root that is read-only.
  open: call(2, null),
  openat: call(257, 56),
  access: call(21, null),
  faccessat: call(269, 48),
  faccessat2: call(439, 439),
  stat: call(4, null),
  lstat: call(6, null),
  fstat: call(5, 80),
  newfstatat: call(262, 79),
  statx: call(332, 291),
  readlink: call(89, null),
  readlinkat: call(267, 78),
  getdents64: call(217, 61),
  getcwd: call(79, 17),
  // Memory.
  mmap: call(9, 222),
  munmap: call(11, 215),
  mremap: call(25, 216),
  mprotect: call(10, 226),
  brk: call(12, 214),
  madvise: call(28, 233),
  mincore: call(27, 232),
  membarrier: call(324, 283),
  pkey_mprotect: call(329, 288),
  pkey_alloc: call(330, 289),
  pkey_free: call(331, 290),
  // Threads of this process, and signals inside its own PID namespace.
  futex: call(202, 98),
  set_robust_list: call(273, 99),
  set_tid_address: call(218, 96),
  rseq: call(334, 293),
  gettid: call(186, 178),
  sched_yield: call(24, 124),
  sched_getaffinity: call(204, 123),
  sched_getparam: call(143, 121),
  sched_getscheduler: call(145, 120),
  rt_sigaction: call(13, 134),
  rt_sigprocmask: call(14, 135),
  rt_sigreturn: call(15, 139),
  sigaltstack: call(131, 132),
  tgkill: call(234, 131),
  kill: call(62, 129),
  restart_syscall: call(219, 128),
  exit: call(60, 93),
  exit_group: call(231, 94),
  // What the process is, and what time it is.
  getpid: call(39, 172),
  getppid: call(110, 173),
  getuid: call(102, 174),
  geteuid: call(107, 175),
  getgid: call(104, 176),
  getegid: call(108, 177),
  capget: call(125, 90),
  uname: call(63, 160),
  sysinfo: call(99, 179),
  getrusage: call(98, 165),
  getrlimit: call(97, 163),
  clock_gettime: call(228, 113),
  clock_getres: call(229, 114),
  clock_nanosleep: call(230, 115),
  nanosleep: call(35, 101),
  gettimeofday: call(96, 169),
  time: call(201, null),
  getrandom: call(318, 278),
  arch_prctl: call(158, null),
  // The start of the worker, by bubblewrap, which waits for it.
  execve: call(59, 221),
  wait4: call(61, 260),
};

/** What the lower 32 bits of an argument have to be; `isZero` looks at all 64. */
export type ArgumentCheck = { readonly argument: number } & (
  | { readonly oneOf: readonly number[] }
  | { readonly has: number; readonly lacks: number }
  | { readonly isZero: true }
);

const CLONE_THREAD = 0x00010000;
/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW_NAMESPACES = 0x7e020080;
const PR_GET_NAME = 16;
const PR_SET_NAME = 15;
const PR_SET_VMA = 0x53564d41;
const TCGETS = 0x5401;
const TIOCGWINSZ = 0x5413;
const FIONBIO = 0x5421;
const FIOCLEX = 0x5451;

/** Allowed where their arguments pass. `clone3` is absent: its flags are out of a filter's sight, and libc does without. */
export const CHECKED_CALLS: Readonly<Record<string, CallNumbers & { readonly check: ArgumentCheck }>> = {
  // A thread, never a process.
  clone: { ...call(56, 220), check: { argument: 0, has: CLONE_THREAD, lacks: CLONE_NEW_NAMESPACES } },
  prctl: { ...call(157, 167), check: { argument: 0, oneOf: [PR_SET_NAME, PR_GET_NAME, PR_SET_VMA] } },
  ioctl: { ...call(16, 29), check: { argument: 1, oneOf: [TCGETS, TIOCGWINSZ, FIONBIO, FIOCLEX] } },
  // Reads a limit, sets none.
  prlimit64: { ...call(302, 261), check: { argument: 2, isZero: true } },
};
