#!/usr/bin/env python3
"""check_refusals.py MPIEXEC ALLROUND NRANKS [CASES]: under a launcher, too, the program refuses in one sentence.

Rank 0 says it, once; nobody else says anything; the exit status is the program's, and nobody waits for ever.
Whether the mistake is seen before MPI is opened (options) or after (files, numbers of ranks) must not matter,
nor that one rank alone makes it. CASES: `patience` for the mistakes that take minutes to be noticed.
"""

import os
import subprocess
import tempfile

from claim import expect, fail, program_arguments

# On all ranks.
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

# On rank 0, and on the others.
OTHER = "rank 1 was started with other arguments than rank 0"
MIXED = [
    ("verify allreduce --transport mpi", "verify allreduce:rng --transport mpi", OTHER),
    ("verify allreduce --transport mpi -n 2", "verify allreduce --transport mpi -n 3", OTHER),
    ("verify allreduce --transport mpi", "verify broadcast --transport mpi", OTHER),
    ("verify allreduce --transport mpi --count 5", "verify allreduce --transport mpi --count 6", OTHER),
    ("verify allreduce --transport mpi", "claim", OTHER),
    ("claim --parameters 1000", "claim --parameters 1000 -n 3", OTHER),
    ("claim", "claim --buffers simulated", OTHER),
    ("claim --buffers simulated", "claim", OTHER),
    ("claim --library", "claim --type float32", OTHER),
    ("claim", "claim --algorithm allreduce:direct", OTHER),
    ("claim --model tests/data/odd-model.csv", "claim --model none.csv", OTHER),
    ("claim --fo", "claim", "unknown option '--fo', see"),
    ("claim", "claim --fo", "rank 1: unknown option '--fo', see"),
    ("claim", "clam", "rank 1: unknown command 'clam', did you mean 'claim'?"),
]

# The same arguments on all ranks; the file as rank 0 has it, and as the others do (None: not at all).
CSV = "name,parameters\nhead,1000\n"
JSON = '{"collective": "broadcast", "ranks": 3, "blocks": 1, "rounds": [[[], [], []]]}'
FILES = [
    ("claim --model ./m.csv", "m.csv", CSV, CSV + "tail,1\n", "rank 1 reads another ./m.csv than rank 0"),
    ("claim --model ./m.csv --buffers simulated", "m.csv", CSV, CSV + "tail,1\n", "rank 1 reads another ./m.csv"),
    ("claim --model ./m.csv", "m.csv", CSV, None, "rank 1: cannot read ./m.csv: No such file or directory"),
    ("claim --model ./m.csv", "m.csv", CSV, "name,\n", "rank 1: ./m.csv:1:6: expected the heading"),
    ("verify m.json --transport mpi", "m.json", JSON, JSON + "\n", "rank 1 reads another m.json than rank 0"),
    ("verify m.json --transport mpi", "m.json", JSON, None, "rank 1: cannot read m.json: No such file"),
    ("verify reduce:ring --transport mpi", "reduce:ring", JSON, None, "rank 1: unknown algorithm for reduce"),
    ("verify allreduce:ring --transport mpi", "allreduce:ring", JSON, None, "rank 1 reads another allreduce:ring"),
]

PATIENCE = "MPI did not begin within 120 s: expected every rank that was launched to run allround"
PATIENCE_CASES = [
    ("verify --all --transport mpi", "--version", PATIENCE),
    ("--version", "claim", PATIENCE),
]


def check(launch, name, status, sentence, seconds=60, launcher_may_end_it=False):
    # A killed mpiexec would leave its ranks behind; one that is asked to end does not.
    done = subprocess.run(
        ["timeout", str(seconds), *launch],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode == 124:
        fail(f"{name}: still running after {seconds} s")
    said = [line for line in done.stderr.decode().splitlines() if line.startswith("allround")]
    # Whether Open MPI notices by itself that a rank left without MPI, and ends all, depends on the moment.
    if launcher_may_end_it and done.returncode == 1 and not said:
        return
    expect(f"{name}: exit status", status, done.returncode)
    expect(f"{name}: sentences", 1, len(said))
    if not said[0].startswith("allround: " + sentence):
        fail(f"{name}: expected '{sentence}...', got '{said[0]}'")


def check_mixed(mpiexec, program, nranks, cases, seconds=60, launcher_may_end_it=False):
    for first, others, sentence in cases:
        launch = [mpiexec, "-n", "1", program, *first.split()]
        launch += [":", "-n", str(nranks - 1), program, *others.split()]
        check(launch, f"{first} : {others}", 2, sentence, seconds, launcher_may_end_it)


def check_files(mpiexec, program, nranks):
    for command, name, first, others, sentence in FILES:
        with tempfile.TemporaryDirectory() as top:
            launch = [mpiexec]
            for part, content in enumerate((first, others)):
                folder = os.path.join(top, str(part))
                os.mkdir(folder)
                if content is not None:
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        file.write(content)
                launch += [":"] if part else []
                launch += ["-n", str(nranks - 1 if part else 1), "-wdir", folder, program, *command.split()]
            check(launch, f"{command}, {name} of its own", 2, sentence)


def main():
    mpiexec, program, nranks, rest = program_arguments()
    if rest == ["patience"]:
        stays = [mpiexec, "-n", "1", program, "verify", "--all", "--transport", "mpi", ":", "-n", "1", "sleep", "300"]
        check(stays, "verify --all --transport mpi : sleep", 2, PATIENCE, 200)
        check_mixed(mpiexec, program, nranks, PATIENCE_CASES, 200, True)
        return
    for command, status, sentence in CASES:
        check([mpiexec, "-n", str(nranks), program, *command.split()], command, status, sentence)
    check_mixed(mpiexec, program, nranks, MIXED)
    check_files(mpiexec, program, nranks)
    n = len(CASES) + len(MIXED) + len(FILES)
    print(f"{n} mistakes on {nranks} ranks: one sentence each")


main()
