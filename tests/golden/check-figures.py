#!/usr/bin/env python3
"""check-figures.py ALLROUND: figures of every algorithm are XML, show every message of the schedule once and
no other, and no text lies on another. Also the graph for graphviz, and how files are written. Prints TAP.
"""

import collections
import csv
import io
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
RANKS = (4, 7, 16)
GLYPH_EM = 0.6  # DejaVu Sans on average
TIP = re.compile(r"round (\d+): rank (\d+) sends (?:blocks? (\S+) )?to rank (\d+), which (combines|stores) (?:it|them)")
EDGE = re.compile(r'  (\d+) -> (\d+) \[label="(.*)"\];')


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True)


def numbers(ranges):
    """The list of "0-2,5"."""
    found = []
    for part in filter(None, (ranges or "").split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def messages_of(subject, nranks):
    """The messages as --json lists them; None where the algorithm does not take so many ranks."""
    got = run("explain", subject, "-n", str(nranks), "--show", "time", "--json")
    if got.returncode != 0:
        return None
    return [(m["round"], m["from"], m["to"], m["blocks"], m["combined"]) for m in json.loads(got.stdout)["messages"]]


def arrows_of(root):
    """The messages that the groups of arrows name; an arrow is a line and a head."""
    for group in root.iter(SVG + "g"):
        if group.get("class") != "message":
            continue
        assert group.find(SVG + "line") is not None and group.find(SVG + "polygon") is not None, "no arrow"
        k, sender, blocks, receiver, does = TIP.fullmatch(group.find(SVG + "title").text).groups()
        yield int(k), int(sender), int(receiver), numbers(blocks or "0"), does == "combines"


def boxes_of(root):
    for text in root.iter(SVG + "text"):
        size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
        width = len(text.text or "") * GLYPH_EM * size
        x -= {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        if width:
            yield x, y - 0.75 * size, x + width, y, text.text


def overlap(root):
    """Two texts that lie on one another, or one that leaves the figure; None."""
    width, height = float(root.get("width")), float(root.get("height"))
    rows = collections.defaultdict(list)
    for box in boxes_of(root):
        if box[0] < 0 or box[2] > width or box[1] < 0 or box[3] > height:
            return f"'{box[4]}' leaves the figure"
        for row in {int(box[1] // 40), int(box[3] // 40)}:
            for other in rows[row]:
                if box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]:
                    return f"'{box[4]}' lies on '{other[4]}'"
            rows[row].append(box)
    return None


def figure_fault(subject, nranks, messages):
    """What is wrong with the figures of the schedule; None. A schedule without a figure says why."""
    expected = collections.Counter(map(str, messages))
    for show in ("grid", "time"):
        got = run("explain", subject, "-n", str(nranks), "--show", show, "--svg", "-")
        if got.returncode == 2 and "a figure has room for" in got.stderr:
            continue
        if got.returncode != 0:
            return got.stderr
        root = ElementTree.fromstring(got.stdout)
        shown = collections.Counter(map(str, arrows_of(root)))
        if shown != expected:
            return f"--show {show}: arrows {shown} for messages {expected}"
        if overlap(root):
            return f"--show {show}: {overlap(root)}"
    return None


def graph_fault(subject, nranks, messages):
    pairs = {(sender, receiver) for _, sender, receiver, _, _ in messages}
    lines = run("explain", subject, "-n", str(nranks), "--dot", "-").stdout.splitlines()
    edges = [EDGE.fullmatch(line) for line in lines if "->" in line]
    if not all(edges) or len(edges) != len(pairs):
        return f"{len(edges)} edges for {len(pairs)} pairs"
    found = {(int(edge[1]), int(edge[2])) for edge in edges if edge[3].startswith("round")}
    return None if found == pairs else f"edges {found} for {pairs}"


def files_fault(folder):
    """How --svg FILE leaves the folder."""
    file, link = folder / "ring.svg", folder / "link.svg"
    command = ("explain", "allreduce:ring", "-n", "3", "--svg")
    whole = run(*command, "-").stdout
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    if run(*command, str(link)).returncode != 0 or not link.is_symlink() or file.read_text() != whole:
        return "a link does not lead to the new figure"
    if stat.S_IMODE(file.stat().st_mode) != 0o640:
        return "the rights changed"
    if run(*command, "/dev/null").returncode != 0 or not stat.S_ISCHR(os.stat("/dev/null").st_mode):
        return "/dev/null is no device any more"
    for bad, why in ((folder / "no" / "x.svg", "No such file or directory"), (folder, "Is a directory")):
        got = run(*command, str(bad))
        if got.returncode != 2 or got.stderr != f"allround: cannot write {bad}: {why}\n" or got.stdout:
            return f"{bad}: {got.stderr}"
    left = sorted(path.name for path in folder.iterdir())
    return None if left == ["link.svg", "ring.svg"] else f"left behind: {left}"


def self_fault():
    """The checks find what they should."""
    text = '<text x="{}" y="20" font-size="10">abc</text>'
    figure = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="40">' + text.format(10) + "{}</svg>"
    good, bad, out = (ElementTree.fromstring(figure.format(text.format(x))) for x in (50, 20, 95))
    return None if not overlap(good) and overlap(bad) and overlap(out) else "overlaps are not found"


def subject_fault(subject):
    messages = {n: messages_of(subject, n) for n in RANKS}
    if not any(messages.values()):
        return f"takes none of {RANKS} ranks"
    faults = [(n, check(subject, n, m)) for n, m in messages.items() if m for check in (figure_fault, graph_fault)]
    return "; ".join(f"{n} ranks: {fault}" for n, fault in faults if fault) or None


def main():
    results = [("the checks check", self_fault())]
    for row in csv.DictReader(io.StringIO(run("list", "--csv").stdout)):
        subject = row["collective"] + ":" + row["algorithm"]
        results.append((subject, subject_fault(subject)))
    with tempfile.TemporaryDirectory() as folder:
        results.append(("files are written whole or not at all", files_fault(pathlib.Path(folder).resolve())))
    print(f"1..{len(results)}")
    for number, (name, fault) in enumerate(results, 1):
        print(f"{'not ok' if fault else 'ok'} {number} - {name}")
        if fault:
            print(f"# {fault[:2000]}")
    return any(fault for _, fault in results)


if __name__ == "__main__":
    sys.exit(main())
