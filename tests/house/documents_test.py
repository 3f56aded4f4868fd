"""Paths and links in documents lead to files of the project, and the changelog has a section for the
version."""
import re

import house

FOLDERS = "src|tests|web|benchmarks|deploy|cmake|docs"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./*{{}},-]*)`")
LINK = re.compile(r"(?:\]\(|<img src=\")([^)#\s\"]+?)(?:#[\w-]+)?[)\"]")


def documents():
    return [f for f in house.files() if f.suffix == ".md"]


def missing_paths(text):
    return [path for path in PATH.findall(text) if not list(house.ROOT.glob(path.rstrip("/")))]


def missing_links(file, text):
    return [link for link in LINK.findall(text)
            if "://" not in link and not (house.ROOT / file).parent.joinpath(link).exists()]


def test_control_missing_path_or_link_is_found():
    assert missing_paths("see `src/base/missing.h` and `src/base/clock.h`, `src/base/`, `src/base/*.h`") == [
        "src/base/missing.h"
    ]
    assert missing_links("README.md",
                         "[a](docs/missing.md), [b](docs/glossary.md#ranking), [c](https://semver.org), "
                         '<img src="docs/missing.png" alt="d">') == ["docs/missing.md", "docs/missing.png"]


def test_paths_in_documents_exist():
    assert [f"{file}: {path}" for file in documents() for path in missing_paths(house.text(file))] == []


def test_links_in_documents_lead_to_files():
    assert [f"{file}: {link}" for file in documents() for link in missing_links(file, house.text(file))] == []


def test_changelog_has_a_section_for_the_version():
    version = re.search(r"project\(maejin VERSION ([\d.]+)", house.text("CMakeLists.txt")).group(1)
    assert re.search(rf"^## {re.escape(version)}\b", house.text("CHANGELOG.md"), re.M)
