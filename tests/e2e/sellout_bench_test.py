"""The small mode of the sell-out benchmark sells every seat once, also while webhooks are sent."""
import os
import pathlib
import re
import subprocess

BENCH = pathlib.Path(os.environ["MAEJIN_BUILD_DIR"]) / "bin" / "sellout_bench"


def test_sellout_benchmark_compares_sales_with_and_without_webhooks():
    run = subprocess.run([BENCH, "--small", "--webhooks", "3"], capture_output=True, text=True, timeout=300,
                         check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("every seat was sold exactly once") == 3
    for name in ("no endpoint", "endpoints that answer", "endpoints that are silent"):
        assert re.search(rf"{name}: [+-][\d.]+ % of time, [+-][\d.]+ % of CPU", run.stdout), run.stdout
