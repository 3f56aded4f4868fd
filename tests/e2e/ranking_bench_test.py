"""The small mode of the ranking benchmark checks its answers and prints every figure."""
import os
import pathlib
import re
import subprocess

import pytest

BENCH = pathlib.Path(os.environ["MAEJIN_BUILD_DIR"]) / "bin" / "ranking_bench"


@pytest.fixture(name="figures", scope="module")
def small_run():
    run = subprocess.run([BENCH, "--rows", "10000"], capture_output=True, text=True, timeout=500, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("line", [
    r"memory a row +[\d.]+ bytes", r"rank of one, by id +[\d.]+ us", r"top 100 made anew, as JSON +[\d.]+ us",
    r"registering one on every board +[\d.]+ us", r"memory of the boards +\d+ KB",
    r"position of one who waits +[\d.]+ us +[\d.]+ us +[\d.]+ x",
    r"check of a token +[\d.]+ us +[\d.]+ us +[\d.]+ x",
    r"top ten of the dates +[\d.]+ us +[\d.]+ us +[\d.]+ x", r"maejin import soldouts FILE +[\d.]+ s",
    r"imported over HTTP, durable, ranked +[\d.]+ s", r"a new sell-out in the very next read +yes",
    r"top 100 over HTTP \(\d+ bytes\), of nginx +[\d.]+"
])
def test_ranking_benchmark_prints_every_figure(figures, line):
    assert re.search(line, figures), figures


def test_row_on_every_board_needs_at_most_100_bytes(figures):
    assert all(float(text) <= 100 for text in re.findall(r"memory a row +([\d.]+) bytes", figures))
