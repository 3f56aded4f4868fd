"""Decision pages have one format, and their index lists every page with its date, status and title."""
import re

import house

FOLDER = "docs/decisions"
PAGE = re.compile(
    r"# (?P<title>\S[^\n]*)\n\nDate: (?P<date>\d{4}-\d\d-\d\d)\n"
    r"Status: (?P<status>accepted|superseded by (?P<by>\S+\.md))\n\n"
    r"## Context\n\S.*?\n\n## Decision\n\S.*?\n\n## Consequences\n\S.*\n", re.S)
SECTIONS = ["Context", "Decision", "Consequences"]
INDEX_ROW = re.compile(r"^\| (\S+) \| ([^|]+) \| \[([^\]]+)\]\((\S+)\) \|$", re.M)


def pages():
    return {f.name: house.text(f) for f in house.files() if str(f.parent) == FOLDER and f.name != "README.md"}


def format_fault(name, text):
    """What is wrong with the page, or None."""
    page = PAGE.fullmatch(text)
    if not page or re.findall(r"^## (.+)$", text, re.M) != SECTIONS:
        return f"{name}: not in the format of {FOLDER}/README.md"
    if not name.startswith(page["date"] + "-"):
        return f"{name}: its date is {page['date']}"
    if page["by"] and page["by"] not in pages():
        return f"{name}: superseded by a missing page"
    return None


def test_control_wrong_format_is_found():
    good = ("# Title\n\nDate: 2026-11-15\nStatus: accepted\n\n"
            "## Context\na\n\n## Decision\nb\n\n## Consequences\nc\n")
    assert format_fault("2026-11-15-a.md", good) is None
    assert format_fault("2026-11-16-a.md", good)
    assert format_fault("2026-11-15-a.md", good.replace("## Decision\nb\n\n", ""))
    assert format_fault("2026-11-15-a.md", good.replace("accepted", "perhaps"))
    assert format_fault("2026-11-15-a.md", good.replace("accepted", "superseded by 2026-11-15-missing.md"))
    assert format_fault("2026-11-15-a.md", good + "\n## More\nd\n")


def test_every_decision_page_has_the_format():
    assert len(pages()) > 20
    assert [fault for name, text in pages().items() if (fault := format_fault(name, text))] == []


def test_index_lists_every_decision_page():
    listed = [(name, title, date, status)
              for date, status, title, name in INDEX_ROW.findall(house.text(f"{FOLDER}/README.md"))]
    found = [(name, page["title"], page["date"], page["status"])
             for name, text in sorted(pages().items()) if (page := PAGE.fullmatch(text))]
    assert listed == found
