"""How long other ways to run a small program take, in milliseconds, as JSON: a process per call, and the textbook's sandbox."""

import json
import multiprocessing
import statistics
import subprocess
import sys
import time

PROGRAM = "result = [x * 2 for x in [1, 2, 3]]"
BUILTINS = {"abs": abs, "len": len, "list": list, "min": min, "max": max, "print": print, "range": range, "sum": sum}


def child(source, answers):
    scope = {"__builtins__": BUILTINS}
    exec(compile(source, "<sandbox>", "exec"), scope)
    answers.put(scope.get("result"))


def in_textbook():
    answers = multiprocessing.Queue()
    process = multiprocessing.Process(target=child, args=(PROGRAM, answers))
    process.start()
    value = answers.get(timeout=5)
    process.join(1)
    assert value == [2, 4, 6]


def in_process():
    source = f"{PROGRAM}; print(result)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout == "[2, 4, 6]\n"


def median_ms(call, count):
    samples = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        samples.append((time.perf_counter() - started) * 1000)
    return statistics.median(samples)


if __name__ == "__main__":
    calls = int(sys.argv[1])
    multiprocessing.set_start_method("spawn")
    print(json.dumps({"process": median_ms(in_process, calls), "multiprocessing": median_ms(in_textbook, calls)}))
