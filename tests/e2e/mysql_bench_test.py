"""The small mode of the MariaDB benchmark sells every seat once and prints every figure."""
import os
import pathlib
import re
import subprocess

import harness

BENCH = pathlib.Path(os.environ["MAEJIN_BUILD_DIR"]) / "bin" / "mysql_bench"


def test_mysql_benchmark_prints_statements_and_seats_beside_a_plain_loop():
    run = subprocess.run([BENCH, "--small"], capture_output=True, text=True, timeout=400, check=False,
                         cwd=harness.ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
    for line in (
            r"three nodes: +200 seats in [\d.]+ s: \d+ seats/s; "
            r"[\d.]+ statements and round trips, [\d.]+ commits a seat",
            r"plain loop: +200 seats in [\d.]+ s: \d+ seats/s", r"ratio: [\d.]+ ",
            "every seat was sold exactly once"):
        assert re.search(line, run.stdout), run.stdout
