/**
 * The operating system's errors have Linux's numbers, by which programs know them: raised by C code, made by a program, and
 * looked up. Whatever compares numbers, in the standard library and in C, still understands them.
 */

import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
const run = (source: string) => runAny(source, { language: "python", limits: { timeoutMs: 10_000 } });

/** What `attempt` raises: its class, number, text and what is printed of it. */
const raisedBy = async (attempt: string): Promise<unknown> => {
  const source = `import os, shutil, sys, tempfile, pathlib
where = tempfile.mkdtemp()
os.chdir(where)
os.mkdir('full'); open('full/file', 'w').write('x'); open('file', 'w').write('x')
try:
    ${attempt}
    result = None
except OSError as error:
    result = [type(error).__name__, error.errno, str(error)]`;
  return (await run(source)).result;
};

describe("an error of the operating system", () => {
  it.each([
    ["open('none')", "FileNotFoundError", 2, "[Errno 2] No such file or directory: 'none'"],
    ["pathlib.Path('none').read_text()", "FileNotFoundError", 2, "[Errno 2] No such file or directory: 'none'"],
    ["os.listdir('none')", "FileNotFoundError", 2, "[Errno 2] No such file or directory: 'none'"],
    ["os.rename('none', 'n')", "FileNotFoundError", 2, "[Errno 2] No such file or directory: 'none' -> 'n'"],
    ["os.stat('file/x')", "NotADirectoryError", 20, "[Errno 20] Not a directory: 'file/x'"],
    ["os.mkdir('full')", "FileExistsError", 17, "[Errno 17] File exists: 'full'"],
    ["open('file', 'x')", "FileExistsError", 17, "[Errno 17] File exists: 'file'"],
    ["open('full')", "IsADirectoryError", 21, "[Errno 21] Is a directory: 'full'"],
    ["open('full', 'w')", "IsADirectoryError", 21, "[Errno 21] Is a directory: 'full'"],
    ["os.listdir('file')", "NotADirectoryError", 20, "[Errno 20] Not a directory: 'file'"],
    ["os.rmdir('full')", "OSError", 39, "[Errno 39] Directory not empty: 'full'"],
    ["os.close(99)", "OSError", 9, "[Errno 9] Bad file descriptor"],
    ["open(99)", "OSError", 9, "[Errno 9] Bad file descriptor"],
    ["os.read(-1, 1)", "OSError", 9, "[Errno 9] Bad file descriptor"],
    ["os.lseek(os.open('file', os.O_RDONLY), -5, 0)", "OSError", 22, "[Errno 22] Invalid argument"],
    ["os.readlink('file')", "OSError", 22, "[Errno 22] Invalid argument: 'file'"],
  ])("%s is raised as %s, number %i", async (attempt, kind, number, text) => {
    expect(await raisedBy(attempt)).toEqual([kind, number, text]);
  });

  it.each([
    ["OSError(2, 'no')", "FileNotFoundError"],
    ["OSError(errno.ENOENT, 'no')", "FileNotFoundError"],
    ["OSError(1, 'no')", "PermissionError"],
    ["OSError(13, 'no')", "PermissionError"],
    ["OSError(errno.EEXIST, os.strerror(errno.EEXIST))", "FileExistsError"],
    ["OSError(11, 'no')", "BlockingIOError"],
    ["OSError(32, 'no')", "BrokenPipeError"],
    ["OSError(110, 'no')", "TimeoutError"],
    ["OSError(111, 'no')", "ConnectionRefusedError"],
    ["OSError(28, 'no')", "OSError"],
    ["OSError(44, 'no')", "OSError"],
    ["OSError(63, 'no')", "OSError"],
  ])("made by a program, %s is a %s", async (made, kind) => {
    expect((await run(`import errno, os\nresult = type(${made}).__name__`)).result).toBe(kind);
  });

  it("has a message by its number", async () => {
    const source = "import os\nresult = [os.strerror(number) for number in (1, 2, 13, 17, 22, 28, 39, 41, 111)]";
    expect((await run(source)).result).toEqual([
      "Operation not permitted",
      "No such file or directory",
      "Permission denied",
      "File exists",
      "Invalid argument",
      "No space left on device",
      "Directory not empty",
      "Unknown error",
      "Connection refused",
    ]);
  });

  it("has the words of Linux's C library", async () => {
    const source = "import os\nresult = [os.strerror(number) for number in (0, 5, 16, 25, 36, 40, 98, 110, 125)]";
    expect((await run(source)).result).toEqual([
      "Success",
      "Input/output error",
      "Device or resource busy",
      "Inappropriate ioctl for device",
      "File name too long",
      "Too many levels of symbolic links",
      "Address already in use",
      "Connection timed out",
      "Operation canceled",
    ]);
    expect(await run("2.0 ** 10000")).toMatchObject({
      error: "OverflowError",
      message: "(34, 'Numerical result out of range')",
    });
  });

  it.skipIf(process.platform !== "linux")("has the number that this machine's C library gives it", async () => {
    const { result } = await run("import errno\nresult = {n: v for n, v in vars(errno).items() if n[0] == 'E'}");
    const numbers = result as Record<string, number>;
    expect(Object.keys(numbers).length).toBeGreaterThan(130);
    expect(Object.keys(numbers)).toEqual(expect.arrayContaining(Object.keys(constants.errno)));
    expect(numbers).toMatchObject(constants.errno);
  });

  it("has the name that Linux's Python gives its number", async () => {
    const source = "from errno import errorcode\nresult = [errorcode[n] for n in (2, 11, 35, 95)] + [len(errorcode)]";
    expect((await run(source)).result).toEqual(["ENOENT", "EAGAIN", "EDEADLOCK", "ENOTSUP", 130]);
  });
});

describe("what compares numbers", () => {
  it.each([
    ["a path through a file does not exist", "open('f', 'w').close()\nresult = pathlib.Path('f/x').exists()", false],
    ["a folder is made, where it is there already", "pathlib.Path('/tmp').mkdir(exist_ok=True)\nresult = 1", 1],
    [
      "a tree is taken away",
      "d = tempfile.mkdtemp()\nos.makedirs(d + '/a/b')\nshutil.rmtree(d)\nresult = os.path.exists(d)",
      false,
    ],
    [
      "a folder is left behind by nobody",
      "with tempfile.TemporaryDirectory() as d: open(d + '/f', 'w').close()\nresult = os.path.exists(d)",
      false,
    ],
    [
      "a file is moved",
      "open('/tmp/from', 'w').write('x')\nshutil.move('/tmp/from', '/home/to')\nresult = open('/home/to').read()",
      "x",
    ],
    [
      "a tree is copied",
      "os.makedirs('/tmp/one/two')\nshutil.copytree('/tmp/one', '/tmp/three')\nresult = os.listdir('/tmp/three')",
      ["two"],
    ],
    [
      "a link that leads to itself is no file",
      "os.symlink('/tmp/self', '/tmp/self')\nresult = os.path.exists('/tmp/self')",
      false,
    ],
    [
      "a database keeps its files",
      "import sqlite3\nc = sqlite3.connect('/tmp/d.db')\nc.execute('create table t (n)')\nfor n in range(3):\n    with c: c.execute('insert into t values (?)', (n,))\nc.close()\nresult = sqlite3.connect('/tmp/d.db').execute('select sum(n) from t').fetchone()[0]",
      3,
    ],
  ])("%s", async (_what, source, result) => {
    expect(await run(`import os, pathlib, shutil, tempfile\n${source}`)).toMatchObject({ ok: true, result });
  });
});
