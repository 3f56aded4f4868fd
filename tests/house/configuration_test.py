"""docs/configuration.md contains the output of `maejin config table`."""
import os
import subprocess

import house


def test_documented_settings_table_equals_the_program_output():
    binary = os.environ.get("MAEJIN_BINARY", str(house.ROOT / "build/release/bin/maejin"))
    table = subprocess.run([binary, "config", "table"], capture_output=True, text=True, check=True).stdout
    assert table.count("\n") > 10
    assert table in house.text(
        "docs/configuration.md"), "copy the output of `maejin config table` into the page"
