"""Alerts, dashboard and runbook: they are made from one table, name metrics that exist, and every alert
fires in its incident and only there."""
import json
import re
import shutil
import subprocess

import harness
import pytest
import watching  # deploy/, on the path through harness

METRIC = re.compile(r"maejin_[a-z_]+")
SUFFIXES = ("_bucket", "_count", "_sum")


def promtool(*words):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", watching.FILES)
def test_generated_file_is_equal_to_the_table(path):
    assert (harness.ROOT /
            path).read_text(encoding="utf-8") == watching.FILES[path](), "run deploy/watching.py"


def test_every_alert_fires_in_its_incident_only():
    done = promtool("test", "rules", harness.ROOT / "deploy/alerts_test.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_control_a_rule_that_cannot_fire_fails_its_incident(tmp_path):
    text = (harness.ROOT / "deploy/alerts.yml").read_text(encoding="utf-8")
    assert "maejin_check_passed == 0" in text
    (tmp_path / "alerts.yml").write_text(text.replace("maejin_check_passed == 0", "maejin_check_passed == 2"),
                                         encoding="utf-8")
    shutil.copy(harness.ROOT / "deploy/alerts_test.yml", tmp_path)
    assert promtool("test", "rules", tmp_path / "alerts_test.yml").returncode != 0


def source_metrics():
    names = set()
    for file in (harness.ROOT / "src").rglob("*.cpp"):
        if not file.name.endswith("_test.cpp"):
            names |= set(re.findall(r'"(maejin_[a-z_]+)"', file.read_text(encoding="utf-8")))
    return names


def named_metrics():
    """The metrics in the expressions of alerts and panels; a regular expression of names is expanded."""
    text = " ".join([alert.expr for alert in watching.ALERTS] + [panel[1] for panel in watching.PANELS])
    text = re.sub(r"(\w+)\((\w+)\|(\w+)\)(\w+)", r"\1\2\4 \1\3\4", text)
    return {next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)
            for name in METRIC.findall(text)}


def test_every_metric_of_alerts_and_panels_exists():
    assert len(named_metrics()) > 20
    assert sorted(named_metrics() - source_metrics()) == []


def test_every_doctor_check_has_its_row(tmp_path):
    code, out, err = harness.run("doctor", "--json", "--data", tmp_path / "data")
    assert code in (0, 1), err
    report = json.loads(out)
    names = set(re.findall(r'"about": ?"([^"]+)"', json.dumps(report)))
    assert "disk" in names
    assert names - set(watching.CHECKS) == set()


def test_node_reports_its_checks_clock_start_and_disk(server):
    text = server.client().get("/metrics").text
    assert 'maejin_check_passed{check="journal"} 1' in text
    version = harness.run("version")[1].split()[1]
    assert f'maejin_build_info{{version="{version}"}} 1' in text
    now, started, free = (harness.metric(server.client(), name)
                          for name in ("maejin_time_seconds", "maejin_start_time_seconds",
                                       "maejin_data_free_bytes"))
    assert abs(now - harness.time.time()) < 30
    assert started <= now and free > 0
