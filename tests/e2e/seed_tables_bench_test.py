"""The small mode of the benchmark of the requirements' tables prints every figure."""
import re
import subprocess
import sys

import harness

BENCH = harness.ROOT / "benchmarks" / "seed_tables_bench.py"


def test_seed_tables_benchmark_prints_every_figure():
    run = subprocess.run([sys.executable, BENCH, "--small"], capture_output=True, text=True, timeout=400,
                         check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    for name in ("top ten of all time", "rank of one concert", "top ten of the dates",
                 "position of one who waits", "check of a token"):
        assert re.search(rf"{name} +\d+ us +\d+ us +[\d.]+ x +[\d.]+", run.stdout), run.stdout
    assert re.search(r"registering one on all its boards \d+ us in Redis", run.stdout), run.stdout
    assert len(re.findall(r"memory of the boards in Redis [\d.]+ MB", run.stdout)) == 2, run.stdout
    # Of the keys: used_memory also has the buffers of clients.
    for table in run.stdout.split("sell-outs in all")[1:]:
        sizes = [float(text) for text in re.findall(r"\d keys +([\d.]+) KB", table)]
        assert len(sizes) == 8 and sum(sizes) <= 400, run.stdout
