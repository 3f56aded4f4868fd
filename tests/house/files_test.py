"""File sizes, header comments, forbidden words, and the CI entry."""
import re

import house

LONGEST = 600
WIDEST = 110
WIDTH_CHECKED = {".h", ".cpp", ".py", ".lua", ".sql", ".cmake"}
LONG_BY_NATURE = {"openapi.yaml", "LICENSE", "CHANGELOG.md", "package-lock.json"}
# Written in two halves, so that this file does not contain them.
FORBIDDEN = [a + b for a, b in [
    ("../sha", "red"), ("/work/", "wt"), ("/work/", "shared"), ("/work/", "main"), ("registry.npm", "js.org"),
    ("artifact", "registry"), (".pkg", ".dev"), ("deb.debian", ".org"), ("pypi", ".org"), ("TO", "DO"),
    ("FIX", "ME"), ("for n", "ow,"), ("XX", "X:")]]
TEXTS = {
    ".h", ".cpp", ".py", ".md", ".cmake", ".txt", ".json", ".yaml", ".yml", ".sh", ".toml", ".sql", ".svg",
    ".html", ".js", ".ts", ".svelte", ".css", ".lua", ".conf", ""
}


def texts():
    return [f for f in house.files() if f.suffix in TEXTS]


def test_no_file_is_longer_than_600_lines():
    wrong = [f"{file}: {lines} lines" for file in texts()
             if file.name not in LONG_BY_NATURE and (lines := house.text(file).count("\n")) > LONGEST]
    assert wrong == []


def test_no_line_is_wider_than_110_columns():
    wrong = [f"{file}:{number}: {len(line)} columns" for file in house.files()
             if (file.suffix in WIDTH_CHECKED and file.parts[0] != "web") or str(file) == "dev"
             for number, line in enumerate(house.text(file).split("\n"), 1) if len(line) > WIDEST]
    assert wrong == []


def test_every_header_starts_with_a_comment():
    wrong = [
        str(file) for file in house.sources("src")
        if file.suffix == ".h" and not house.text(file).startswith("//")
    ]
    assert wrong == []


def test_every_header_has_pragma_once():
    wrong = [
        str(file) for file in house.sources()
        if file.suffix == ".h" and "#pragma once" not in house.text(file)
    ]
    assert wrong == []


def test_no_file_contains_a_forbidden_word():
    wrong = [f"{file}: {word}" for file in texts() for word in FORBIDDEN if word in house.text(file)]
    assert wrong == []


def test_ci_runs_dev_test():
    assert re.search(r"^exec \./dev test$", house.text(".ci/run"), re.M)


def test_every_source_folder_is_described_in_structure_md():
    structure = house.text("docs/structure.md")
    folders = {
        "/".join(f.parts[:n]) for f in house.sources("src", "tests", "benchmarks")
        for n in range(1, len(f.parts))
    }
    assert [folder for folder in sorted(folders) if f"`{folder}/`" not in structure] == []
