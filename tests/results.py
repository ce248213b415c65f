#!/usr/bin/env python3
"""results.py TESTLOG.json | --self-test: what the last `meson test` found.

Shows what the failed programs printed (meson hides it for TAP programs) and ends with the line
"N passed, N failed, N skipped". Every subtest of a TAP program counts: each Criterion test, each golden case.
A program that failed without a failed subtest (a crash, a time-out, a plan not kept) counts as one failure.
Exit status 1 if anything failed or nothing passed.
"""

import json
import re
import sys

PLAN = re.compile(r"^1\.\.\d+", re.M)
SUBTEST = re.compile(r"^(not )?ok\b(.*)$", re.M)
SKIPPED = re.compile(r"#\s*skip", re.I)
SHOWN_LINES = 300


def count(program):
    """(passed, failed, skipped) of one program's record."""
    passed = failed = skipped = 0
    output = program.get("stdout", "")
    if PLAN.search(output):
        for bad, rest in SUBTEST.findall(output):
            if SKIPPED.search(rest):
                skipped += 1
            elif bad:
                failed += 1
            else:
                passed += 1
    result = program["result"]
    if result not in ("OK", "EXPECTEDFAIL", "SKIP"):
        failed = failed or 1
    elif not passed + failed + skipped:
        passed, skipped = (0, 1) if result == "SKIP" else (1, 0)
    return passed, failed, skipped


def show(program):
    print(f"---- {program['name']}: {program['result']} (exit status {program['returncode']})")
    print("$", " ".join(program["command"]))
    for stream in ("stdout", "stderr"):
        lines = program.get(stream, "").rstrip().split("\n")
        if len(lines) > SHOWN_LINES:
            print(f"({len(lines) - SHOWN_LINES} lines of {stream} left out)")
        print("\n".join(lines[-SHOWN_LINES:]))
    print("----")


def main(path):
    totals = [0, 0, 0]
    try:
        with open(path, encoding="utf-8") as log:
            programs = [json.loads(line) for line in log]
    except (OSError, ValueError) as error:
        print(f"results.py: no results of meson test: {error}", file=sys.stderr)
        programs = []
    for program in programs:
        counted = count(program)
        totals = [total + one for total, one in zip(totals, counted)]
        if counted[1]:
            show(program)
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 0 if totals[0] and not totals[1] else 1


def self_test():
    cases = [
        ("", "OK", (1, 0, 0)),
        ("ok, says the program\n", "FAIL", (0, 1, 0)),
        ("", "SKIP", (0, 0, 1)),
        ("", "TIMEOUT", (0, 1, 0)),
        ("1..3\nok 1 - a\nok 2 - b # SKIP no\nok 3\n", "OK", (2, 0, 1)),
        ("1..2\nok 1\nnot ok 2 - oops\n", "ERROR", (1, 1, 0)),
        ("1..2\nok 1\n", "ERROR", (1, 1, 0)),
        ("1..2\nok 1\n", "TIMEOUT", (1, 1, 0)),
        ("1..0 # SKIP there is no such thing\n", "SKIP", (0, 0, 1)),
        ("TAP version 13\n1..2\n# x\nnot ok - s::a  (0.00s)\n  ---\n  ok\n  ...\nok - s::b\n", "FAIL", (1, 1, 0)),
    ]
    for output, result, expected in cases:
        got = count({"stdout": output, "result": result})
        assert got == expected, f"{output!r}, {result}: expected {expected}, got {got}"
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(self_test() if sys.argv[1] == "--self-test" else main(sys.argv[1]))
