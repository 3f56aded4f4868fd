"""The pages of the real program in Debian's chromium: fans, slow payments, operators, lost connections, the
demo, and axe on every screen."""
import os

import pages_test

# With MAEJIN_ALL, fans' screens are checked in four languages instead of two.
SECONDS = 2400 if os.environ.get("MAEJIN_ALL") else 1440


def test_browser_journeys_and_screens_pass():
    said = pages_test.run("node_modules/vitest/vitest.mjs", "run", "--config", "e2e/vitest.config.ts",
                          seconds=SECONDS)
    assert "passed" in said
