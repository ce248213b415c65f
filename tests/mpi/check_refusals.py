#!/usr/bin/env python3
"""check_refusals.py MPIEXEC ALLROUND NRANKS: under a launcher, too, the program refuses in one sentence.

Rank 0 says it, once; nobody else says anything; the exit status is the program's. Whether the mistake is seen
before MPI is opened (options) or after (files, numbers of ranks) must not matter.
"""

import subprocess

from claim import expect, fail, program_arguments

CASES = [
    ("verify --rot 1", 2, "unknown option '--rot', did you mean '--root'?"),
    ("verify alredcue --transport mpi", 2, "unknown collective 'alredcue', did you mean 'allreduce'?"),
    ("verify tests/data/typo.json --transport mpi", 2, "tests/data/typo.json:4:26: expected send, receive"),
    ("verify --all --transport mpi -n 1..8", 2, "-n: expected the launcher's"),
    ("verify tests/data/ring3-broken.json --transport mpi", 1, "allreduce:ring that adds once too often, 3 ranks"),
    ("claim --layers 3", 2, "--layers needs --parameters"),
    ("claim --model tests/data/typo.csv", 2, "tests/data/typo.csv:3:6: elements: expected a count"),
    ("claim --model none.csv", 2, "cannot read none.csv: No such file or directory"),
]


def main():
    mpiexec, program, nranks, _ = program_arguments()
    for command, status, sentence in CASES:
        done = subprocess.run(
            [mpiexec, "-n", str(nranks), program, *command.split()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
        said = [line for line in done.stderr.decode().splitlines() if line.startswith("allround")]
        expect(f"{command}: exit status", status, done.returncode)
        expect(f"{command}: sentences", 1, len(said))
        if not said[0].startswith("allround: " + sentence):
            fail(f"{command}: expected '{sentence}...', got '{said[0]}'")
    print(f"{len(CASES)} mistakes on {nranks} ranks: one sentence each")


main()
