"""docs/requirements.md names, for every requirement, tests that exist, or says "not yet"."""
import re

import house

IDS = ([f"000-{n}" for n in range(1, 10)] + [f"001-{n}" for n in range(1, 10)] +
       [f"002-{n}" for n in range(1, 7)] + [f"003-{n}"
                                            for n in range(1, 10)] + [f"004-{n}" for n in range(1, 13)])
ROW = re.compile(r"^\| (\d{3}-\d+) \| (.+?) \| (.+?) \|$", re.M)
GTEST = re.compile(
    r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)",
    re.M)


BEYOND = re.compile(r"^\| ([a-z]+) \| (.+?) \| (`.+?) \|$", re.M)


def rows():
    return ROW.findall(house.text("docs/requirements.md"))


def rows_beyond():
    """Features without a requirement."""
    return BEYOND.findall(house.text("docs/requirements.md"))


def known_tests():
    names = {f"{suite}.{name}" for file in house.sources() if file.suffix == ".cpp"
             for suite, name in GTEST.findall(house.text(file))}
    for file in house.files():
        if file.name.endswith("_test.py"):
            names |= {f"{file}::{name}" for name in re.findall(r"^def (test_\w+)", house.text(file), re.M)}
    return names


def test_every_requirement_has_one_row():
    assert [identifier for identifier, _, _ in rows()] == IDS


def test_every_named_test_exists():
    known = known_tests()
    assert "tests/house/requirements_test.py::test_every_named_test_exists" in known
    assert "rehearse" in [what for what, _, _ in rows_beyond()]
    missing = [
        f"{identifier}: {name}" for identifier, _, tests in rows() + rows_beyond()
        for name in re.findall(r"`([^`]+)`", tests) if name not in known
    ]
    assert missing == []


def test_every_row_names_a_test_or_says_not_yet():
    silent = [identifier for identifier, _, tests in rows() if "`" not in tests and "not yet" not in tests]
    assert silent == []
