#!/usr/bin/env python3
"""check_witness.py MPIEXEC ALLROUND NRANKS [ARGUMENT...]: the witness against Open MPI's own files.

The program's witness adds up what Open MPI's monitoring layer tells it while it runs. The layer also writes
a file per rank at MPI_Finalize; at level 2 it has a line per peer for messages with tags >= 0 ("E", external:
ours) and one for the library's own ("I"). The sum of the E lines must be what the program says it sent.
"""

import glob
import os
import re
import sys
import tempfile

from claim import expect, fail, is_open_mpi, program_arguments, run

LINE = re.compile(r"([EI])\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent")


def sums(folder, nranks):
    """{"E": bytes, "I": bytes} over all files, each of which must be there."""
    total = {"E": 0, "I": 0}
    files = sorted(glob.glob(os.path.join(folder, "prof.*.prof")))
    expect("files of the monitoring layer", nranks, len(files))
    for path in files:
        with open(path, encoding="utf-8") as file:
            for match in filter(None, map(LINE.match, file)):
                total[match[1]] += int(match[4])
    return total


def main():
    mpiexec, program, nranks, arguments = program_arguments()
    if not is_open_mpi(mpiexec):
        print("this MPI is not Open MPI and has no such files")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        options = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3"]
        options += ["--mca", "pml_monitoring_filename", os.path.join(folder, "prof")]
        document = run(mpiexec, options, program, nranks, arguments)
        total = sums(folder, nranks)
    rows = document["primitives"] + document["strategies"]
    counted = sum(row["sent_bytes_total"] for row in rows)
    witness = sum(row["witness_bytes_total"] for row in document["primitives"])
    witness += round(sum(row["witness_bytes_mean"] * nranks for row in document["strategies"]))
    print(f"counted {counted} B, witness {witness} B; Open MPI's files: {total['E']} B ours, {total['I']} B its own")
    if not total["E"] > 0:
        fail("Open MPI's files hold no message of ours")
    expect("bytes in Open MPI's files against those counted", counted, total["E"])
    expect("bytes in Open MPI's files against the witness", witness, total["E"])


main()
