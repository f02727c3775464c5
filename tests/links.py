# SPDX-License-Identifier: Apache-2.0
"""Links between the pages of the project lead to files and headings that are there.

    links.py ROOT"""
import os
import re
import subprocess
import sys


def pages(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.md"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return listed.stdout.split()
    found = []  # sources without git
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        found += [os.path.relpath(os.path.join(folder, n), root) for n in names if n.endswith(".md")]
    return found


def read(path):
    """A page without its code."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", lambda code: code[0].replace("](", "] ("), text)


def headings(path):
    """Names that a link can have behind its #."""
    names = set()
    for heading in re.findall(r"^#+ (.*)$", read(path), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        names.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return names


def main():
    root, broken, count = os.path.realpath(sys.argv[1]), [], 0
    for page in pages(root):
        for link in re.findall(r"\]\(([^)\s]+)\)", read(os.path.join(root, page))):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            name, _, heading = link.partition("#")
            place = os.path.normpath(os.path.join(root, os.path.dirname(page), name)) if name else os.path.join(root, page)
            if not os.path.exists(place):
                broken.append(f"{page}: {link}: no such file")
            elif heading and place.endswith(".md") and heading not in headings(place):
                broken.append(f"{page}: {link}: no such heading")
    print(*broken, sep="\n", end="\n" if broken else "")
    print(f"{count} links, {len(broken)} broken")
    return 1 if broken or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
