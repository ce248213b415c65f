#!/usr/bin/env python3
"""check_claim.py MPIEXEC ALLROUND NRANKS [ARGUMENT...]: the project's first claim, to the byte.

Under every strategy the bytes counted, those modelled and those the MPI library itself reports (the witness)
are the same, and in total as many (N-1)n as the strategy's descriptor says: 2 for ddp and 3 for zero3, so the
ratio of those is exactly 1.5.
"""

import json
import subprocess

from claim import expect, fail, is_open_mpi, program_arguments, run


def check(row, nranks, vector_bytes, witnessed):
    name = row["strategy"]
    total = row["vectors"] * (nranks - 1) * vector_bytes
    expect(f"{name}: sent_bytes_total", total, row["sent_bytes_total"])
    expect(f"{name}: ratio_to_ddp", row["vectors"] / 2, row["ratio_to_ddp"])
    expect(f"{name}: sent_bytes_mean", total / nranks, float(row["sent_bytes_mean"]))
    expect(f"{name}: modelled_bytes_mean", row["sent_bytes_mean"], row["modelled_bytes_mean"])
    if row["witness_bytes_mean"] is not None:
        expect(f"{name}: witness_bytes_mean", row["sent_bytes_mean"], row["witness_bytes_mean"])
    elif witnessed:
        fail(f"{name}: the witness saw nothing")
    if not row["sent_bytes_mean"] <= row["sent_bytes_max"] <= total:
        fail(f"{name}: sent_bytes_max {row['sent_bytes_max']} is not between the mean and the total")


def check_primitives(rows, nranks, elem_bytes):
    """The argument behind it: an all-reduce moves 2(N-1)n bytes, each of the other four half of that."""
    expect("primitives", 5, len(rows))
    unit = max(row["sent_bytes_total"] for row in rows) // 2
    expect("the primitives' vector: bytes left over", 0, unit % ((nranks - 1) * elem_bytes))
    for row in rows:
        name = row["collective"]
        factor = 2 if name == "allreduce" else 1
        expect(f"{name}: sent_bytes_total", factor * unit, row["sent_bytes_total"])
        expect(f"{name}: ratio_to_allreduce", factor / 2, row["ratio_to_allreduce"])
        expect(f"{name}: modelled_bytes_total", row["sent_bytes_total"], row["modelled_bytes_total"])


def registered(program):
    """{strategy: vectors} from the registry."""
    done = subprocess.run([program, "list", "strategies", "--json"], stdout=subprocess.PIPE, check=True)
    return {row["strategy"]: row["vectors"] for row in json.loads(done.stdout)["strategies"]}


def main():
    mpiexec, program, nranks, arguments = program_arguments()
    document = run(mpiexec, [], program, nranks, arguments)
    expect("nranks", nranks, document["nranks"])
    expect("buffers", "real", document["buffers"])
    vectors = {row["strategy"]: row["vectors"] for row in document["strategies"]}
    expect("strategies", registered(program), vectors)
    expect("the claim", (2, 3), (vectors["ddp"], vectors["zero3"]))
    for key in ("model", "environment"):
        if not document.get(key):
            fail(f"the document has no {key}")
    vector_bytes = document["parameters"] * document["elem_bytes"]
    witnessed = is_open_mpi(mpiexec)
    for row in document["strategies"]:
        check(row, nranks, vector_bytes, witnessed)
    check_primitives(document["primitives"], nranks, document["elem_bytes"])
    print(f"{len(vectors)} strategies on {nranks} ranks, {document['parameters']} parameters: as claimed")


main()
