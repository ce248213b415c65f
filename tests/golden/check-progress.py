#!/usr/bin/env python3
"""check-progress.py ALLROUND: progress is shown on a terminal only, only when it takes a while, and erased.

The program runs with a pseudo terminal as its stderr, and once more with a pipe.
"""

import os
import pty
import re
import subprocess
import sys
import time

RANKS = (2, 64, 96, 160, 256, 512)  # up to which; more take longer
LONG_S = 2
SHOWN = re.compile(rb"\r\x1b\[Kverify: \w+:\w+, \d+ of \d+, \d+ s")
ERASED = b"\r\x1b[K"


def said_on_terminal(command):
    """What the program writes to the terminal."""
    mine, its = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    said = b""
    while True:
        try:
            part = os.read(mine, 4096)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        said += part
    os.close(mine)
    if process.wait() != 0:
        sys.exit(f"FAILED: exit status {process.returncode}")
    return said


def main(program):
    for ranks in RANKS:
        command = [program, "verify", "--all", "-n", f"1..{ranks}"]
        begin_s = time.monotonic()
        said = said_on_terminal(command)
        took_s = time.monotonic() - begin_s
        if took_s < 1 and said:
            sys.exit(f"FAILED: a short run: expected nothing, got {said!r}")
        if took_s > LONG_S:
            break
    if not SHOWN.search(said) or SHOWN.sub(b"", said) != ERASED:
        sys.exit(f"FAILED: a long run: expected lines of progress and their erasure, got {said!r}")
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    if done.stderr:
        sys.exit(f"FAILED: not on a terminal: expected nothing, got {done.stderr!r}")


main(sys.argv[1])
