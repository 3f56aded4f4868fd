"""docs/security.md names, for every threat, tests that exist."""
import re

import house
import requirements_test

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| (`[^|]+`) \|$", re.M)


def test_every_threat_names_tests_that_exist():
    page = house.text("docs/security.md")
    rows = ROW.findall(page)
    assert len(rows) == page.count("\n| ") - 1, "a row needs three cells, the last with tests"
    known = requirements_test.known_tests()
    missing = [name for _, _, tests in rows for name in re.findall(r"`([^`]+)`", tests) if name not in known]
    assert missing == []
