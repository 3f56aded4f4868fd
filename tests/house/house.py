"""Shared by the house tests: the files of the tree, and C++ without comments and literals."""
import functools
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {
    ".git", "build", "generated", "node_modules", "__pycache__", ".pytest_cache", "maejin-data", ".node"
}


@functools.lru_cache(maxsize=None)
def files():
    """Every file of the project, as paths relative to its root."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        found += [(pathlib.Path(folder) / name).relative_to(ROOT) for name in names if name not in SKIPPED]
    return sorted(found)


def sources(*tops):
    """The C++ files under the given folders."""
    return [f for f in files() if f.suffix in (".h", ".cpp") and (not tops or f.parts[0] in tops)]


def text(file):
    return (ROOT / file).read_text(encoding="utf-8", errors="replace")


_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def code_of(source):
    """C++ with comments and literals blanked out; lines keep their numbers."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def line_of(source, offset):
    return source.count("\n", 0, offset) + 1
