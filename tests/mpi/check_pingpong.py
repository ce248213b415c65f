#!/usr/bin/env python3
"""check_pingpong.py MPIEXEC ALLROUND NRANKS: `pingpong` over MPI measures every size and fits what it measured.

What it measures is the machine's; how points, models and notes hang together is checked, and that `cost` takes
the model as it is given there.
"""

import csv
import io
import json
import subprocess

from claim import expect, fail, program_arguments

SIZES = sorted([2**i for i in range(24)] + [3 * 2**i for i in range(22)])


def run(command, status=0):
    print("$", " ".join(command), flush=True)
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )
    if done.returncode != status:
        fail(f"exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(), done.stderr.decode()


def near(what, expected, got):
    if abs(got - expected) > 1e-9 * max(abs(expected), abs(got), 1):
        fail(f"{what}: expected {expected!r}, got {got!r}")


def time_of(model, size):
    return model["alpha_s"] + (size / model["beta_Bps"] if model["beta_Bps"] is not None else 0)


def worst(model, points, key):
    inside = [p for p in points if model["from_bytes"] <= p["bytes"] <= model["to_bytes"]]
    return max(abs(time_of(model, p["bytes"]) / p[key] - 1) for p in inside)


def check_models(models, points):
    expect("first and last model", ("exchange", "ping-pong"), (models[0]["name"], models[-1]["name"]))
    parts = models[1:-1]
    if len(parts) not in (0, 2):
        fail(f"expected no regimes or two, got {len(parts)}")
    for model in models:
        if model["alpha_s"] < 0 or (model["beta_Bps"] is not None and model["beta_Bps"] <= 0):
            fail(f"negative: {model}")
        key = "pingpong_s" if model["name"] == "ping-pong" else "exchange_s"
        near(f"worst error of {model['name']}", worst(model, points, key), model["worst_error"])
    for whole in (models[0], models[-1]):
        expect("sizes of one line", (SIZES[0], SIZES[-1]), (whole["from_bytes"], whole["to_bytes"]))
    if parts:
        expect("the first regime begins", SIZES[0], parts[0]["from_bytes"])
        expect("the second goes on", SIZES[SIZES.index(parts[0]["to_bytes"]) + 1], parts[1]["from_bytes"])
        expect("the second ends", SIZES[-1], parts[1]["to_bytes"])


def check_document(document, nranks):
    points, models = document["points"], document["models"]
    expect("ranks", nranks, document["environment"]["nranks"])
    expect("sizes", SIZES, [p["bytes"] for p in points])
    for p in points:
        if p["pingpong_s"] <= 0 or p["exchange_s"] <= 0:
            fail(f"takes no time: {p}")
        near(f"{p['bytes']} B modelled", time_of(models[0], p["bytes"]), p["modelled_s"])
        near(f"{p['bytes']} B residual", p["modelled_s"] / p["exchange_s"] - 1, p["residual"])
    for key in ("pingpong_s", "exchange_s"):
        if points[-1][key] <= points[0][key]:
            fail(f"{key}: 8 MiB are not slower than 1 B")
    check_models(models, points)
    if document["gamma_Bps"] <= 0:
        fail(f"gamma_Bps {document['gamma_Bps']}")


def main():
    mpiexec, program, nranks, _ = program_arguments()
    command = [mpiexec, "-n", str(nranks), program, "pingpong", "--time", "200ms"]
    document = json.loads(run([*command, "--json"])[0])
    check_document(document, nranks)
    given = next(note for note in document["notes"] if note.startswith("For cost: "))[len("For cost: ") :].split()
    cost = json.loads(run([program, "cost", "allreduce:ring", "-n", "2", "--count", "0", "--json", *given])[0])
    expect("cost with the model", 1, len(cost))
    rows = list(csv.reader(io.StringIO(run([*command, "--csv"])[0])))
    expect("CSV rows", 1 + len(SIZES), len(rows))
    said = [s for s in run([mpiexec, "-n", "1", program, "pingpong"], 2)[1].splitlines() if s.startswith("allround")]
    expect(
        "alone",
        ["allround: pingpong needs a launcher and at least 2 ranks: mpiexec -n 2 allround pingpong"],
        said,
    )
    print(f"{len(SIZES)} sizes, {len(document['models'])} models on {nranks} ranks")


main()
