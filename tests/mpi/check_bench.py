#!/usr/bin/env python3
"""check_bench.py MPIEXEC ALLROUND NRANKS: what `allround bench` says of every algorithm of every collective.

Each admitted algorithm has a row at each size; results are right, bytes counted = modelled, and the statistics
are those of the raw samples. Nothing is asserted about how long anything takes.
"""

import json
import statistics
import subprocess

from claim import expect, fail, is_open_mpi, program_arguments

KEYS = """collective algorithm nranks type count bytes_per_rank total_bytes median_s min_s samples sent_bytes_mean
modelled_bytes_mean modelled_s lower_bound_s valid ratio ratio_low ratio_high algbw_Bps busbw_Bps raw_s""".split()

# Fewer elements than ranks (and none), an odd number, and more than one segment.
SIZES = [0, 4, 1004, 524288]
MODEL = ["--alpha", "1us", "--beta-Bps", "1GB/s", "--gamma-Bps", "1GB/s", "--time", "0.003"]


def near(what, expected, got):
    if abs(expected - got) > 1e-6 * abs(expected):
        fail(f"{what}: expected {expected!r}, got {got!r}")


def run(launch, status=0):
    print("$", " ".join(launch), flush=True)
    done = subprocess.run(launch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != status:
        fail(f"exit status {done.returncode}: {done.stderr.decode()}")
    return done


def admitted(program, nranks):
    """{collective: names} from the registry."""
    rows = json.loads(run([program, "list", "algorithms", "--json"]).stdout)["algorithms"]
    names = {}
    for row in rows:
        need = row["needs"] or ""
        if need == "even" and nranks % 2 or need == "power of two" and nranks & (nranks - 1):
            continue
        names.setdefault(row["collective"], []).append(row["algorithm"])
    return names


def check_row(row, nranks, witnessed):
    name = f"{row['collective']}:{row['algorithm']}, {row['total_bytes']} B"
    for key in KEYS:
        if key not in row:
            fail(f"{name}: there is no {key}")
    expect(f"{name}: valid", True, row["valid"])
    expect(f"{name}: nranks", nranks, row["nranks"])
    if row["algorithm"] == "library":
        expect(f"{name}: modelled", (None, None), (row["modelled_bytes_mean"], row["modelled_s"]))
        if witnessed and nranks > 1 and row["total_bytes"] > 0 and row["sent_bytes_mean"] is None:
            fail(f"{name}: the witness saw nothing")
    else:
        expect(f"{name}: counted bytes", row["modelled_bytes_mean"], row["sent_bytes_mean"])
        if row["modelled_s"] < row["lower_bound_s"] * (1 - 1e-9) and row["count"] >= nranks:
            fail(f"{name}: modelled {row['modelled_s']} s, below the bound {row['lower_bound_s']} s")
    raw = row["raw_s"]
    expect(f"{name}: samples", row["samples"], len(raw))
    if len(raw) < 5:
        fail(f"{name}: {len(raw)} samples")
    near(f"{name}: median", statistics.median(raw), row["median_s"])
    near(f"{name}: min", min(raw), row["min_s"])
    near(f"{name}: algbw", row["total_bytes"] / row["median_s"], row["algbw_Bps"])
    if row["ratio"] is not None and not 0 < row["ratio_low"] <= row["ratio_high"]:
        fail(f"{name}: the interval of the ratio is {row['ratio_low']}..{row['ratio_high']}")


def check(document, nranks, names, sizes, witnessed):
    rows = document["rows"]
    expect("rows", [(size, name) for size in sizes for name in names], [(r["total_bytes"], r["algorithm"]) for r in rows])
    for row in rows:
        check_row(row, nranks, witnessed)
    for size in sizes:
        here = [row for row in rows if row["total_bytes"] == size]
        fastest = [row["median_s"] for row in here if row["fastest"]]
        expect(f"{size} B: the fastest", [min(row["median_s"] for row in here)], fastest)
    if not document["environment"]:
        fail("there is no environment")


def main():
    mpiexec, program, nranks, _ = program_arguments()
    bench = [mpiexec, "-n", str(nranks), program, "bench"]
    witnessed = is_open_mpi(mpiexec)
    total = 0
    for collective, names in admitted(program, nranks).items():
        sizes = ",".join(map(str, SIZES))
        arguments = [collective, "--algorithms", "all,auto", "-s", sizes, "--json", *MODEL]
        document = json.loads(run([*bench, *arguments]).stdout)
        check(document, nranks, ["auto", *names, "library"], SIZES, witnessed)
        total += len(document["rows"])
    last = str(nranks - 1)
    for arguments, names in [
        (["reduce", "-d", "float64", "-o", "max", "-r", last], ["library", "auto"]),
        (["allreduce", "--type", "uint8", "--op", "prod", "--algorithms", "library,ring"], ["library", "ring"]),
        (["reduce_scatter", "-d", "int8", "--algorithms", "library"], ["library"]),
        (["broadcast", "-d", "bfloat16", "--root", last], ["library", "auto"]),
        (["allreduce", "-d", "float16", "-o", "avg"], ["auto"]),
    ]:
        document = json.loads(run([*bench, *arguments, "-s", "8000", "--json", *MODEL]).stdout)
        check(document, nranks, names, [8000], witnessed)
        total += len(document["rows"])
    document = json.loads(run([*bench, "allreduce", "-s", "1K", "--time", "0.01", "--json"]).stdout)
    check(document, nranks, ["library", "auto"], [1024], witnessed)  # with the model of this machine
    for arguments, sentence in [
        (["allreduce", "-o", "avg", "--algorithms", "library"], "--algorithms: MPI's own allreduce: MPI has no operator avg"),
        (["reduce", "-d", "float16", "--algorithms", "auto,library"], "--algorithms: MPI's own reduce: MPI has no type"),
        (["broadcast", "--root", str(nranks)], f"--root: expected 0..{nranks - 1}, got {nranks}"),
        (["allreduce", "--root", "1"], "--root: "),
        (["allreduce", "-s", "1T", "--algorithms", "ring"], "bench with 1 TiB on every rank needs"),
    ]:
        said = run([*bench, *arguments, *MODEL], 2).stderr.decode()
        lines = [line for line in said.splitlines() if line.startswith("allround: ")]
        if len(lines) != 1 or not lines[0].startswith("allround: " + sentence):
            fail(f"{arguments}: expected '{sentence}...', got {lines}")
    print(f"{total} rows on {nranks} ranks: right")


main()
