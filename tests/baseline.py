#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No instruction beyond the baseline of x86-64 is executed without a check of the processor.

    baseline.py OBJECT...      the object files of the libraries and of the program

Files named *_avx2* and *_avx512* may use what they are compiled for. They must keep it to themselves: a function that the linker may take from them
in the place of a baseline one (a weak symbol) would run everywhere, and so would what runs before main. They export one function, which asks
the processor and returns kernels or nothing. All other files may not use it at all.
"""
import re
import subprocess
import sys

WIDE = re.compile(r"_(avx2|avx512)\.cpp")
# Registers of AVX and AVX-512, and VEX or EVEX forms of all others: v... (verr, verw are old), bit manipulation of BMI. Not tzcnt: GCC emits it in
# baseline code for numbers that are not zero, for which older processors execute it as bsf, with the same result.
BEYOND = re.compile(r"%[yz]mm|%k[0-7]\b|\t(?!verr|verw)v[a-z0-9]+\s|\t(andn|bextr|blsi|blsr|blsmsk|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|movbe)[lq]?\s")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions_beyond(path):
    """Names of the functions of an object file with an instruction beyond the baseline, and the first one of each."""
    found, name = {}, None
    for line in run("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        header = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if header:
            name = header[1]
        elif BEYOND.search(line):
            found.setdefault(name, line.split("\t", 1)[-1].strip())
    return found


def errors_of_wide(path):
    exported = re.compile(r"_ZN5talus\d+avx\d+_kernelsEv$")
    for line in run("nm", "--defined-only", path).splitlines():
        kind, name = line.split()[-2:]
        if kind in "WVuiBD" or (kind in "TR" and not exported.match(name)):
            yield f"{path}: exports {name} ({kind}): the linker may take it for baseline code"
    if ".init_array" in run("objdump", "-h", path):
        yield f"{path}: runs code before main"
    beyond = functions_beyond(path)
    if not beyond:
        yield f"{path}: has no instruction beyond the baseline: is it compiled for its processor?"
    for name, instruction in beyond.items():
        if exported.match(name):
            yield f"{path}: {name} asks the processor, but uses '{instruction}' itself"


def errors_of_baseline(path):
    for name, instruction in functions_beyond(path).items():
        yield f"{path}: {name} has '{instruction}'"


def main():
    objects = [path for path in sys.argv[1:] if path.endswith(".o")]
    wide = [path for path in objects if WIDE.search(path)]
    errors = [error for path in objects for error in (errors_of_wide if path in wide else errors_of_baseline)(path)]
    if len(wide) != 2 or len(objects) < 10:
        errors.append(f"{len(objects)} object files, {len(wide)} of them wide: expected two wide among many")
    print("\n".join(errors) or f"{len(objects)} object files, {len(wide)} of them wide: nothing beyond the baseline without a check")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
