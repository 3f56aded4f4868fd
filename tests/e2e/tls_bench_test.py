"""`./dev bench tls` in its small mode: both servers answer every request."""
import subprocess
import sys

import harness


def test_small_mode_prints_both_figures():
    done = subprocess.run([sys.executable, harness.ROOT / "benchmarks/tls_bench.py", "--small"],
                          capture_output=True, text=True, timeout=180, check=False,
                          env=harness.clean_environment(MAEJIN_BINARY=str(harness.BINARY)))
    assert done.returncode == 0, done.stderr
    assert "ratio" in done.stdout and "requests per second: maejin" in done.stdout
