"""Runs docs/tutorial.md: every command, in order, in one shell; every answer has what the page shows."""
import json
import re
import subprocess

import harness

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
MARK = "@@ end of block @@"
# Values that differ from run to run; the rest must be equal.
VARYING = {"token", "pass", "reservationId", "expiresAt", "paidAt", "bookingOpenAt", "soldOutAt", "pollAfterMs", "id",
           "concertId", "durationMillis", "durationSeconds", "duration", "key", "expiresIn", "number", "section", "row"}


def steps(page):
    """(commands, shown answer or None) for every block of commands."""
    found = []
    for language, text in BLOCK.findall(page):
        if language == "sh":
            found.append([text, None])
        elif language == "json":
            found[-1][1] = json.loads(text)
    return found


def compare(shown, got, where):
    assert type(shown) is type(got) or shown is None or got is None, f"{where}: {got!r}"
    if isinstance(shown, dict):
        for name, value in shown.items():
            assert name in got, f"{where} has no {name}"
            if name not in VARYING:
                compare(value, got[name], f"{where}.{name}")
    elif isinstance(shown, list):
        for number, value in enumerate(shown):
            compare(value, got[number], f"{where}[{number}]")
    else:
        assert shown == got, where


def test_every_command_of_the_tutorial_answers_as_shown(tmp_path):
    page = (harness.ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    walk = steps(page)
    assert len(walk) >= 10 and sum(1 for _, shown in walk if shown) >= 10
    with harness.Server(tmp_path / "maejin-data") as server:
        script = "set -euo pipefail\n" + "".join(f"{commands}\necho; echo '{MARK}'\n" for commands, _ in walk)
        script = script.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{server.port}")
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    outputs = done.stdout.split(MARK)
    for number, ((_, shown), output) in enumerate(zip(walk, outputs), start=1):
        if shown is not None:
            compare(shown, json.loads(output), f"answer {number}")


def test_an_answer_that_differs_would_be_noticed():
    try:
        compare({"status": "OPEN"}, {"status": "CLOSED"}, "answer")
    except AssertionError:
        return
    raise AssertionError("a different answer went unnoticed")
