"""The small mode of the Redis benchmark runs without refusals and prints every figure."""
import re
import subprocess
import sys

import harness

BENCH = harness.ROOT / "benchmarks" / "redis_bench.py"


def test_redis_benchmark_prints_cpu_of_every_verb():
    run = subprocess.run([sys.executable, BENCH, "--small"], capture_output=True, text=True, timeout=400,
                         check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    for verb in ("join", "poll", "enter", r"enter\+pass", "token", "status"):
        assert re.search(rf"{verb} +[\d.]+ \( *[\d.]+ \+ +[\d.]+\) µs of CPU a request",
                         run.stdout), run.stdout
    assert re.search(r"200 fans have their places again in [\d.]+ s, [\d.]+ µs of CPU each",
                     run.stdout), run.stdout
