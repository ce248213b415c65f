#!/usr/bin/env python3
"""embed.py OUTPUT.c PROFILE.json ... : the profiles as they stand, as C strings, by name."""
import pathlib
import sys


def quoted(line):
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'        "{escaped}\\n"'


output, *profiles = map(pathlib.Path, sys.argv[1:])
lines = ['#include "sim/machines/profile.h"', "", "const struct ar_profile_text ar_profile_texts[] = {"]
for path in sorted(profiles, key=lambda path: path.stem):
    text = path.read_text(encoding="utf-8").splitlines()
    lines += [f'    {{"{path.stem}",', *map(quoted, text), "    },"]
lines += ["};", "", "const int ar_nprofiles = sizeof ar_profile_texts / sizeof *ar_profile_texts;", ""]
output.write_text("\n".join(lines), encoding="utf-8")
