#!/usr/bin/env python3
"""The one table of alerts and of `maejin doctor`'s checks. `python3 deploy/watching.py` writes from it
deploy/alerts.yml (Prometheus), deploy/alerts_test.yml (promtool), deploy/grafana-dashboard.json and
docs/runbook.md; tests/e2e/watching_test.py checks that they are equal to the table.

An incident is a series for each metric, one sample in 15 seconds, in promtool's notation: `1x20 0x40` is
1 and 20 repeats, then 0 and 40 repeats. The alert must not fire before the incident, must fire at
`fires`, and must have ended at `ends`, if it names an end."""
import dataclasses
import json
import pathlib
import textwrap

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEP_S = 15
NODE = 'instance="node-1",job="maejin"'


@dataclasses.dataclass(frozen=True)
class Alert:
    name: str
    severity: str  # page: somebody acts now; warn: in working hours
    expr: str
    hold: str  # `for` of the rule
    summary: str
    effect: str  # what a fan or an operator notices
    act: str
    incident: dict
    fires: str
    ends: str = ""


ALERTS = [
    Alert(
        "MaejinDown", "page", 'up{job="maejin"} == 0', "1m", "A node does not answer Prometheus.",
        "Its connections fail. Behind a proxy the other nodes serve its fans; one node alone means no sale.",
        "`systemctl status maejin`, `journalctl -u maejin -n 100`. A start loads all acknowledged changes.",
        {f"up{{{NODE}}}": "1x8 0x20 1x20"}, "4m", "9m"),
    Alert(
        "MaejinDependencyAway", "page", "maejin_check_passed == 0", "30s",
        "The check {{ $labels.check }} of /readyz fails.",
        "`redis`: polls go on from the mirror, joins and entries are 503. `database`: holds, payments, "
        "joins and entries are 503. "
        "`journal`: the disk is full or broken, writes are 503.",
        "`maejin doctor` names the cause. Redis and MariaDB: restart or fail over; nodes reconnect by "
        "themselves. "
        "Journal: free disk space.", {f'maejin_check_passed{{check="redis",{NODE}}}': "1x8 0x16 1x20"}, "4m",
        "7m"),
    Alert(
        "MaejinPaymentsStuck", "page", "min_over_time(maejin_payments_unsettled[10m]) > 0 and "
        "increase(maejin_booking_reservations_paid_total[10m]) == 0", "1m",
        "Payments wait for an outcome, and none has succeeded for ten minutes.",
        "Fans see that their payment is in progress. Their seats stay held.",
        "Check the payment service and its log. maejin goes on asking; money taken becomes a seat or a "
        "refund "
        "(docs/payments.md).", {
            f"maejin_payments_unsettled{{{NODE}}}": "0x8 12x80 0x40",
            f"maejin_booking_reservations_paid_total{{{NODE}}}": "0+5x8 40x80 41+5x40"
        }, "15m", "30m"),
    Alert(
        "MaejinLineStandsStill", "page", "maejin_rooms_waiting > 0 and maejin_rooms_entered > 0 and "
        "increase(maejin_room_admissions_total[10m]) == 0", "1m",
        "Fans wait and fans are inside, but none was admitted for ten minutes.",
        "Ranks do not change. Fans begin to reload and to ask.",
        "`maejin top`: a paused room, or a full one whose fans do not pay. Open the room, or raise its "
        "capacity.", {
            f"maejin_rooms_waiting{{{NODE}}}": "5000x160", f"maejin_rooms_entered{{{NODE}}}": "800x160",
            f"maejin_room_admissions_total{{{NODE}}}": "0+20x20 400x80 420+20x60"
        }, "17m", "30m"),
    Alert("MaejinDiskNearlyFull", "page", "maejin_data_free_bytes < 2147483648", "1m",
          "The disk of the data folder has less than 2 GiB left.",
          "Nothing yet. When it is full, writes are 503 and reads go on.",
          "Free space or grow the disk. The server recovers by itself.",
          {f"maejin_data_free_bytes{{{NODE}}}": "4e9-1e8x30 8e8x20 9e9x20"}, "9m", "14m"),
    Alert("MaejinClockOff", "warn", "abs(maejin_time_seconds - timestamp(maejin_time_seconds)) > 2", "2m",
          "The clock of a node differs from Prometheus's by more than two seconds.",
          "Sold-out times and openings are wrong by the difference. Deadlines of holds are not.",
          "`timedatectl`: let the machine synchronise. Check Prometheus's machine too.",
          {f"maejin_time_seconds{{{NODE}}}": "0+15x8 140+15x20 450+15x20"}, "6m", "10m"),
    Alert(
        "MaejinErrors", "page", 'sum by (instance) (rate(maejin_http_requests_total{status=~"5.."}[2m])) / '
        "sum by (instance) (rate(maejin_http_requests_total[2m])) > 0.01", "2m",
        "More than one answer in a hundred is a 5xx.", "Fans see errors, or wait for a retry.",
        "503: see MaejinDependencyAway and MaejinShedding. 500: a defect; the log has the exception.", {
            f'maejin_http_requests_total{{method="GET",route="/poll",status="200",{NODE}}}': "0+1000x100",
            f'maejin_http_requests_total{{method="GET",route="/poll",status="503",{NODE}}}':
                "0x8 0+100x30 3000x60"
        }, "7m", "15m"),
    Alert(
        "MaejinSlow", "warn", "histogram_quantile(0.99, sum by (instance, le) "
        '(rate(maejin_http_request_duration_seconds_bucket{route!~".*stream"}[5m]))) > 1', "3m",
        "One request in a hundred takes longer than a second.", "Pages react late.",
        "`maejin doctor` measures the disk's fsync. Look for another load on the machine, Redis or MariaDB.",
        {
            f'maejin_http_request_duration_seconds_bucket{{le="1",route="/hold",{NODE}}}':
                "0+100x8 800+50x40 2800+100x80",
            f'maejin_http_request_duration_seconds_bucket{{le="5",route="/hold",{NODE}}}':
                "0+100x8 800+100x40 4800+100x80",
            f'maejin_http_request_duration_seconds_bucket{{le="+Inf",route="/hold",{NODE}}}':
                "0+100x8 800+100x40 4800+100x80"
        }, "10m", "20m"),
    Alert("MaejinShedding", "page", "rate(maejin_http_shed_total[1m]) > 0", "1m",
          "Requests are shed: too many are in flight.",
          "Joins get 503 first, then polls, holds, payments. Pages retry by themselves.",
          "A slow disk, Redis or MariaDB, or too small a machine. Add nodes; do not restart.",
          {f"maejin_http_shed_total{{{NODE}}}": "0x8 0+30x20 600x40"}, "6m", "10m"),
    Alert(
        "MaejinConnectionsNearlyFull", "page", "maejin_http_connections_reserved > 0", "1m",
        "The connection limit is nearly reached: reserved connections are in use.",
        "New fans get 503. Operators, holds and payments go on.",
        "Raise `http.connections` and the file limit, or add nodes. Look for one address with many "
        "connections.",
        {f"maejin_http_connections_reserved{{{NODE}}}": "0x8 40x20 0x20"}, "5m", "9m"),
    Alert("MaejinAdminKeyGuessing", "warn", "increase(maejin_admin_limited_total[5m]) > 0", "0s",
          "An address was blocked: it sent many wrong admin keys.", "None for fans.",
          "The log names the address. Block it, or give the operator the right key.",
          {f"maejin_admin_limited_total{{{NODE}}}": "0x8 0+5x8 40x40"}, "4m", "12m"),
    Alert("MaejinBoardsWait", "warn", "min_over_time(maejin_outbox_waiting[5m]) > 0", "1m",
          "Booking events have waited five minutes for the boards.",
          "A sold-out concert appears late in the rankings. Sales are not affected.",
          "Check Redis. The relay goes on by itself, and nothing is lost.",
          {f"maejin_outbox_waiting{{{NODE}}}": "0x8 7x40 0x20"}, "10m", "15m"),
    Alert("MaejinBoardsRepaired", "warn", "increase(maejin_ranking_drift_total[15m]) > 0", "0s",
          "Rows of the boards differed from the database and were repaired.",
          "A ranking was wrong for at most `rankings.reconcile-seconds`.",
          "Expected after a loss of Redis. Otherwise look for another writer on the keys of the boards.",
          {f"maejin_ranking_drift_total{{{NODE}}}": "0x8 3x80"}, "4m", "20m"),
    Alert("MaejinWebhookFails", "warn", "min_over_time(maejin_webhook_failing[15m]) > 0", "1m",
          "An endpoint of webhooks has accepted nothing for a quarter of an hour.",
          "Its receiver gets events late: mails or bookings in other systems lag behind. Sales go on.",
          "`GET /api/v1/admin/webhooks/{id}/deliveries` shows the answers. Repair the receiver, then set the "
          "status to active to try at once. After three days the endpoint is disabled.",
          {f'maejin_webhook_failing{{webhook="1",{NODE}}}': "0x8 1x100 0x80"}, "22m", "29m"),
    Alert("MaejinDatabaseQueue", "page", "maejin_database_queue > 100", "1m",
          "Requests wait for a connection to MariaDB.", "Holds and payments are slow.",
          "`SHOW PROCESSLIST` on MariaDB; check its disk. Raise the pool only if MariaDB is idle.",
          {f"maejin_database_queue{{{NODE}}}": "0x8 400x20 0x20"}, "5m", "9m"),
    Alert("MaejinUnknownCommits", "warn", "increase(maejin_database_unknown_commits_total[5m]) > 0", "0s",
          "MariaDB was lost while it committed; the outcome was unknown to the node.",
          "The fan got 503 and retries with the same key; no effect happens twice.",
          "Expected in a failover (docs/scale-out.md). Otherwise check the network to MariaDB.",
          {f"maejin_database_unknown_commits_total{{{NODE}}}": "0x8 2x40"}, "3m", "12m"),
    Alert("MaejinRestarts", "warn", "changes(maejin_start_time_seconds[15m]) > 2", "0s",
          "A node started three times in a quarter of an hour.",
          "Event streams reconnect, spread over four seconds. Places, holds and seats are kept.",
          "`journalctl -u maejin`: a crash, the watchdog, or the kernel's memory killer.",
          {f"maejin_start_time_seconds{{{NODE}}}": "100x8 200x4 300x4 400x80"}, "6m", "22m"),
    Alert("MaejinCertificateEnds", "warn", "maejin_tls_certificate_expiry_seconds - time() < 1209600", "5m",
          "The TLS certificate ends within 14 days.", "Afterwards browsers refuse the site.",
          "Renew it and replace `tls.cert-file` and `tls.key-file`; the server loads them by itself.",
          {f"maejin_tls_certificate_expiry_seconds{{{NODE}}}": "9999999999x8 100000x40 9999999999x60"},
          "9m", "16m"),
    Alert("MaejinBackupsFail", "warn", "increase(maejin_backups_failed_total[5m]) > 0", "0s",
          "A scheduled backup failed.", "Sales go on. A loss of the data folder would lose more.",
          "The log has the reason: `backup failed: …`, mostly a full or missing `backup.folder`. The server "
          "retries every minute.",
          {f"maejin_backups_failed_total{{{NODE}}}": "0x8 2x40"}, "3m", "12m"),
]

# The names in the second column of `maejin doctor`.
CHECKS = {
    "configuration": "The settings do not conflict. `maejin config check` says what is wrong.",
    "data": "The data folder is writable, or in use by a running server.",
    "disk": "Free space of the data folder. See MaejinDiskNearlyFull.",
    "fsync": "Time of one fsync. Above a few milliseconds every join, hold and payment waits for it: use "
             "another disk.",
    "clock": "The clock is synchronised. See MaejinClockOff.",
    "files": "The limit of open files fits `http.connections`. The package's unit sets `LimitNOFILE=`.",
    "admin key": "The key file exists and other users cannot read it.",
    "audit": "The hash chain of the audit log is intact. A broken chain means that a row was changed outside "
             "maejin.",
    "backup": "The newest scheduled backup is at most two intervals old. See MaejinBackupsFail.",
    "named files": "`serve` can use the files that settings name: the logo, secrets, and files of "
                   "authorities.",
    "certificate": "The certificate of `tls.cert-file` fits its key and is valid for 14 more days.",
    "redis": "Connection, version, role, eviction, persistence, clock and scripts of Redis.",
    "database": "Connection, version, schema, durability and clock of MariaDB.",
    "limits": "Concerts and rooms have limits per user and per address.",
    "users": "How fans are identified: signed tokens, or trusted ids from a gateway of your own.",
    "opening": "`--sale`: the concert opens at a time, shown in the zone of `timezone`, and not at night.",
    "room": "`--sale`: the waiting room lets fans join and be admitted when the sale opens.",
    "rehearsal": "`--sale`: a rehearsal on this server sold out within 30 days, with at least this capacity.",
    "gate": "`--sale`: limits per user and per address are set for the concert and its room.",
    "webhooks": "`--sale`: every endpoint is active and accepted an event within a day. Send a test: "
                "`POST /api/v1/admin/webhooks/{id}/test`. See MaejinWebhookFails.",
    "payment": "`--sale`: the provider takes real money and accepts connections. See MaejinPaymentsStuck.",
}

PANELS = [
    ("Ready", "maejin_check_passed", "{{instance}} {{check}}", "short"),
    ("Waiting and inside", "maejin_rooms_waiting or maejin_rooms_entered", "{{instance}} {{__name__}}",
     "short"),
    ("Arrivals and admissions per second", 'rate({__name__=~"maejin_room_(arrivals|admissions)_total"}[1m])',
     "{{instance}} {{__name__}}", "reqps"),
    ("Longest lines", "topk(10, maejin_room_waiting)", "{{room}}", "short"),
    ("Seats", "maejin_booking_seats", "{{instance}} {{state}}", "short"),
    ("Holds and payments per second",
     'rate({__name__=~"maejin_booking_(holds|reservations_paid)_total"}[1m])', "{{instance}} {{__name__}}",
     "reqps"),
    ("Payments without an outcome", "maejin_payments_unsettled", "{{instance}}", "short"),
    ("Requests per second by status", "sum by (status) (rate(maejin_http_requests_total[1m]))", "{{status}}",
     "reqps"),
    ("p99 of requests", "histogram_quantile(0.99, sum by (instance, le) "
     '(rate(maejin_http_request_duration_seconds_bucket{route!~".*stream"}[1m])))', "{{instance}}", "s"),
    ("Refusals per second", "sum by (code) (rate(maejin_refusals_total[1m]))", "{{code}}", "reqps"),
    ("Connections", "maejin_http_connections", "{{instance}}", "short"),
    ("Shed and refused per second", 'rate({__name__=~"maejin_http_(shed|connections_refused)_total"}[1m])',
     "{{instance}} {{__name__}}", "reqps"),
    ("Free disk space", "maejin_data_free_bytes", "{{instance}}", "bytes"),
    ("Requests that wait for MariaDB", "maejin_database_queue", "{{instance}}", "short"),
    ("Events not on the boards yet", "maejin_outbox_waiting", "{{instance}}", "short"),
    ("Events that wait for webhooks", "maejin_webhook_waiting_events", "{{instance}} {{webhook}}", "short"),
    ("Memory of unread answers", "maejin_http_owed_bytes", "{{instance}}", "bytes"),
]


def rules():
    return yaml.safe_dump({"groups": [{"name": "maejin", "rules": [
        {"alert": alert.name, "expr": alert.expr, "for": alert.hold, "labels": {"severity": alert.severity},
         "annotations": {"summary": alert.summary, "runbook": f"docs/runbook.md#{alert.name.lower()}"}}
        for alert in ALERTS]}]}, sort_keys=False, width=110)


def seconds(text):
    return int(text[:-1]) * {"s": 1, "m": 60}[text[-1]]


def promtool_tests():
    """For each alert: quiet before the incident, firing in it, quiet after it."""
    def moment(alert, at, expected):
        return {"eval_time": at, "alertname": alert.name, "exp_alerts": expected}

    def fired(alert):
        """The labels that the expression keeps of the incident's first series."""
        labels = {"severity": alert.severity, "instance": "node-1"}
        if "sum by" not in alert.expr:
            labels["job"] = "maejin"
        summary = alert.summary
        if "webhook=" in next(iter(alert.incident)):
            labels["webhook"] = "1"
        if "check=" in next(iter(alert.incident)):
            labels["check"] = "redis"
            summary = summary.replace("{{ $labels.check }}", "redis")
        return [{
            "exp_labels": labels,
            "exp_annotations": {"summary": summary, "runbook": f"docs/runbook.md#{alert.name.lower()}"}
        }]

    return yaml.safe_dump({"rule_files": ["alerts.yml"], "evaluation_interval": f"{STEP_S}s", "tests": [
        {"name": alert.name, "interval": f"{STEP_S}s",
         "input_series": [{"series": series, "values": values} for series, values in alert.incident.items()],
         "alert_rule_test": [moment(alert, "1m", []), moment(alert, alert.fires, fired(alert)),
                             *([moment(alert, alert.ends, [])] if alert.ends else [])]}
        for alert in ALERTS]}, sort_keys=False, width=110)


def dashboard():
    panels = [{"id": number + 1, "type": "timeseries", "title": title,
               "datasource": {"type": "prometheus", "uid": "${datasource}"},
               "gridPos": {"h": 8, "w": 8, "x": 8 * (number % 3), "y": 8 * (number // 3)},
               "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
               "targets": [{"refId": "A", "expr": expr, "legendFormat": legend}]}
              for number, (title, expr, legend, unit) in enumerate(PANELS)]
    return json.dumps(
        {
            "title": "maejin", "uid": "maejin", "schemaVersion": 37, "refresh": "10s", "timezone": "browser",
            "time": {"from": "now-1h", "to": "now"}, "tags": ["maejin"], "templating": {
                "list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]
            }, "panels": panels
        }, indent=1) + "\n"


def runbook():
    text = (
        "# Runbook\n\nMade from the table in `deploy/watching.py`, as are `deploy/alerts.yml` and "
        "`deploy/grafana-dashboard.json`.\n`page` means: act now. `warn` means: act in working hours.\n\n## "
        "Alerts\n"
    )
    for alert in ALERTS:
        summary = alert.summary.replace("{{ $labels.check }}", "`redis`, `database` or `journal`")
        text += (f"\n### {alert.name}\n{summary} Severity: `{alert.severity}`, after {alert.hold}.\n\n"
                 f"- **Effect:** {alert.effect}\n- **Act:** {alert.act}\n\n```\n{alert.expr}\n```\n")
    text += "\n## Checks of `maejin doctor`\n| check | meaning |\n|---|---|\n"
    return text + "".join(f"| {name} | {meaning} |\n" for name, meaning in CHECKS.items())


def check_meanings():
    """The table for `maejin doctor --json` and the console's panel."""
    rows = ""
    for name, meaning in CHECKS.items():
        pieces = textwrap.wrap(meaning.replace("`", "").replace("--sale: ", ""), 90, drop_whitespace=False)
        rows += f"    {{{json.dumps(name)},\n" + "\n".join(f"     {json.dumps(each)}"
                                                           for each in pieces) + "},\n"
    return (
        "// What the checks of `maejin doctor` mean. Made from the table in deploy/watching.py.\n#pragma "
        "once\n\n"
        "#include <string_view>\n\nnamespace maejin::app {\n\n// clang-format off\n"
        "struct CheckMeaning {\n  std::string_view name;\n  std::string_view meaning;\n};\n"
        f"inline constexpr CheckMeaning kCheckMeanings[] = {{\n{rows}}};\n// clang-format on\n\n"
        "// Empty: no check has this name.\n"
        "constexpr std::string_view MeaningOf(std::string_view about) {\n"
        "  for (const auto& row : kCheckMeanings)\n    if (row.name == about) return row.meaning;\n"
        "  return {};\n}\n\n}  // namespace maejin::app\n")


FILES = {
    "src/app/check_meanings.h": check_meanings, "deploy/alerts.yml": rules,
    "deploy/alerts_test.yml": promtool_tests, "deploy/grafana-dashboard.json": dashboard,
    "docs/runbook.md": runbook
}


if __name__ == "__main__":
    for path, make in FILES.items():
        (ROOT / path).write_text(make(), encoding="utf-8")
