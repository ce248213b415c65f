#!/usr/bin/env python3
"""run.py [--update] ALLROUND [FILE...] | --self-test

Runs the commands shown in files (README.md when none is named, with --update also every algorithm's file) again
and compares what they print. A block of the form

    ```console
    $ allround explain allreduce:ring -n 3
    ...what it prints...
    ```

may hold several commands; a command ending in a backslash goes on in the next line. Those that start with
`allround` or `mpiexec -n N allround` are run, with ALLROUND as `allround`; others (`scripts/quickstart`) are
not. stdout is compared, for `allround` alone stderr too; both sides pass through tests/normalise.sed, so times
and the machine may differ. A line `...` stands for any lines. --update puts the present output into the file.

In a C file the block is the end of the first comment, its lines begin with ` *     `, and of the output only
the drawing is shown: the paragraphs about the machine and the algorithm are left out. A C file without a block
is an error.
"""

import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNS = re.compile(r"(mpiexec -n \d+ )?allround( |$)")


def parse(lines):
    """[(command, first, end)]: what follows a command in a console block is lines[first:end]."""
    commands = []
    inside = False
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\") and number < len(lines):
                command = command[:-1] + lines[number].lstrip("> ")
                number += 1
            first = number
            while number < len(lines) and not lines[number].startswith(("```", "$ ")):
                number += 1
            commands.append((command, first, number))
    return commands


MARGIN = " *     "


def drawn(lines):
    """The same for the comment that opens a C file, and the block's lines without the comment's margin."""
    end = lines.index(" */") if " */" in lines else 0
    for number in range(end):
        if lines[number].startswith(MARGIN + "$ "):
            return [(lines[number][len(MARGIN) + 2 :], number + 1, end)]
    return []


def drawing(lines):
    """Without the first two paragraphs."""
    rest = [number + 1 for number, line in enumerate(lines) if not line]
    return lines[rest[1] :] if len(rest) > 1 else lines


def run(command, folder):
    """The lines the command prints, or None if it was killed or could not be started (mpiexec: or failed)."""
    environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"], NO_COLOR="1", COLUMNS="120")
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=TOP,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        # mpiexec has words of its own for stderr.
        stderr=None if command.startswith("mpiexec") else subprocess.STDOUT,
        check=False,
    )
    launched = command.startswith("mpiexec")
    if done.returncode < 0 or done.returncode > 125 or (launched and done.returncode != 0):
        return None
    return done.stdout.decode().splitlines()


def normalise(lines):
    if not lines:
        return []
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    done = subprocess.run(
        ["sed", "-f", os.path.join(TOP, "tests", "normalise.sed")],
        input=text.encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode().splitlines()


def same(expected, got):
    """Whether the lines agree; an expected `...` takes any number of lines."""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in normalise(expected))
    return re.fullmatch(pattern, "".join(line + "\n" for line in normalise(got))) is not None


def show(expected, got):
    diff = difflib.unified_diff(normalise(expected), normalise(got), "shown", "now", lineterm="")
    print("\n".join(diff), flush=True)


def check(program, path, update):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    folder = tempfile.TemporaryDirectory()
    os.symlink(os.path.abspath(program), os.path.join(folder.name, "allround"))
    new, done, failed, ran, differ = [], 0, 0, 0, False
    source = path.endswith(".c")
    for command, first, end in drawn(lines) if source else parse(lines):
        if not RUNS.match(command):
            print(f"not run: {command}")
            continue
        ran += 1
        expected = lines[first:end]
        got = run(command, folder.name)
        if got is None:
            print(f"FAILED: {command}: crashed or cannot be run")
            failed += 1
            continue
        if source:
            got = [(MARGIN + line).rstrip() for line in drawing(got)]
        if same(expected, got):
            print(f"ok: {command}")
        elif update and "..." not in expected:
            print(f"rewritten: {command}")
            new += lines[done:first] + got
            done = end
        else:
            print(f"FAILED: {path}:{first}: {command}")
            show(expected, got)
            failed += 1
            differ = True
    if done:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(new + lines[done:]))
    if source and not ran:
        print(f"FAILED: {path}: the comment that opens it shows no drawing (` *     $ allround explain ...`)")
        failed += 1
    if differ:
        print("scripts/update-goldens rewrites it; read the difference before you commit it")
    print(f"{path}: {ran} commands run, {failed} failed")
    return 1 if failed else 0 if ran else 77


def algorithms():
    """Every algorithm's file, by their list."""
    with open(os.path.join(TOP, "collectives", "algorithms.def"), encoding="utf-8") as file:
        names = re.findall(r"^AR_ALGORITHM\((\w+), *(\w+)\)", file.read(), re.M)
    return [os.path.join(TOP, "collectives", collective, name + ".c") for collective, name in names]


def self_test():
    """Quiet unless it fails."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            check_the_checks()
    except BaseException:
        print(said.getvalue(), flush=True)
        raise
    return 0


def check_the_checks():
    """With a fake program: each kind of difference is found, each kind of freedom granted."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "fake")
        with open(program, "w", encoding="utf-8") as file:
            file.write(
                '#!/bin/sh\ncase $1 in crash) kill -SEGV $$ ;; bad) echo "allround: no" >&2; exit 2 ;; esac\n'
                'echo "allround 0.1.0 on here"\necho "a $1"\necho "b"\necho "3 done in 0.12 s"\n'
            )
        os.chmod(program, 0o755)
        readme = os.path.join(folder, "README.md")
        output = "allround 0.9 elsewhere\na x\nb\n3 done in 99.5 s\n"
        cases = [
            ("$ allround x\n" + output, 0),
            ("$ allround \\\n    x\n" + output, 0),
            ("$ allround x\n...\n", 0),
            ("$ allround x\n...\nb\n...\n", 0),
            ("$ allround bad\nallround: no\n", 0),
            ("$ allround x | tail -n 2 | head -n 1\nb\n$ rm -rf /nothing\nwhatever\n", 0),
            ("$ allround x\n", 1),
            ("$ allround y\n" + output, 1),
            ("$ allround x\n...\nc\n...\n", 1),
            ("$ allround x\n" + output + "more\n", 1),
            ("$ allround x\n" + output.replace("3", "4", 1), 1),
            ("$ allround x\n" + output.split("\n", 1)[1], 1),
            ("$ allround crash\n...\n", 1),
            ("$ scripts/quickstart\n", 77),
        ]
        for block, verdict in cases:
            with open(readme, "w", encoding="utf-8") as file:
                file.write(f"# Title\n\n```console\n{block}```\n\nText\n")
            got = check(program, readme, False)
            assert got == verdict, f"expected {verdict}, got {got} for:\n{block}"
        with open(readme, "w", encoding="utf-8") as file:
            file.write("A\n```console\n$ allround x\nold\n$ ls\n```\nB\n```console\n$ allround bad\n```\nC\n")
        assert check(program, readme, True) == 0
        with open(readme, encoding="utf-8") as file:
            text = file.read()
        expected = (
            "A\n```console\n$ allround x\nallround 0.1.0 on here\na x\nb\n3 done in 0.12 s\n$ ls\n```\nB\n"
            "```console\n$ allround bad\nallround: no\n```\nC\n"
        )
        assert text == expected, text
        assert check(program, readme, False) == 0
        source = os.path.join(folder, "ring.c")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho machine\necho\necho about\necho\necho drawn\n")
        text = "/* A ring.\n *\n *     $ allround explain\n *     drawn\n */\nint x;\n"
        for block, verdict in [(text, 0), (text.replace("drawn", "else"), 1), ("int x;\n", 1)]:
            with open(source, "w", encoding="utf-8") as file:
                file.write(block)
            assert check(program, source, False) == verdict, block
    for path in algorithms():
        assert os.path.isfile(path), path


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    update = arguments[:1] == ["--update"]
    arguments = arguments[update:]
    if not arguments:
        sys.exit(__doc__)
    paths = arguments[1:] or [os.path.join(TOP, "README.md")] + (algorithms() if update else [])
    verdicts = [check(arguments[0], path, update) for path in paths]
    return max(verdicts, key=[0, 77, 1].index)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
