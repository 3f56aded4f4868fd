"""The pages of the real program in Debian's chromium: fans, slow payments, operators, lost connections, the
demo, and axe on every screen."""
import pages_test


def test_browser_journeys_and_screens_pass():
    said = pages_test.run("node_modules/vitest/vitest.mjs", "run", "--config", "e2e/vitest.config.ts",
                          seconds=840)
    assert "passed" in said
