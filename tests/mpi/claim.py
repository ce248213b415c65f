"""Runs `allround claim --json` over MPI and reads its one document. Shared by the checks of this folder."""

import json
import os
import subprocess
import sys


def fail(sentence):
    print(f"FAILED: {sentence}")
    sys.exit(1)


def expect(what, expected, got):
    if expected != got:
        fail(f"{what}: expected {expected!r}, got {got!r}")


def run(mpiexec, launcher_options, program, nranks, arguments):
    """The document, a dict. Fails on anything else on stdout, a non-zero exit status or broken JSON."""
    command = [mpiexec, "-n", str(nranks), *launcher_options, program, "claim", "--json", *arguments]
    print("$", " ".join(command), flush=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        print(done.stdout.decode(errors="replace"))
        fail(f"exit status {done.returncode}")
    try:
        # A second document, or a word before or after this one, is an error here too.
        return json.loads(done.stdout.decode())
    except ValueError as error:
        print(done.stdout.decode(errors="replace"))
        fail(f"stdout is not one JSON document: {error}")


def is_open_mpi(mpiexec):
    text = subprocess.run([mpiexec, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False).stdout
    return b"Open MPI" in text or b"OpenRTE" in text


def program_arguments():
    """MPIEXEC PROGRAM NRANKS [ARGUMENT...] from the command line."""
    mpiexec, program, nranks, *arguments = sys.argv[1:]
    return mpiexec, os.path.abspath(program), int(nranks), arguments
