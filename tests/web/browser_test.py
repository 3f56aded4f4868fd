"""The pages of the real program in Debian's chromium: a fan's whole way, the operator's lever, and axe on every screen."""
import pages_test


def e2e(name):
    return pages_test.run("node_modules/vitest/vitest.mjs", "run", "--config", "e2e/vitest.config.ts", name, seconds=840)


def test_fans():
    assert "passed" in e2e("fan")


def test_operators():
    assert "passed" in e2e("operator")


def test_the_first_five_minutes():
    assert "passed" in e2e("demo")


def test_every_screen_is_accessible():
    assert "passed" in e2e("axe")
