"""Three nodes behind nginx on one MariaDB and one Redis: a sale of five thousand seats, and changes that all
nodes see."""
import concurrent.futures
import datetime
import os
import socket
import subprocess
import sys
import threading

import crowd
import harness
import pytest
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks

SEATS, FANS = 5000, 10_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Long timeouts, so that a busy machine causes no refusals."""
    patient = {"database_parameters": "?read-timeout-ms=60000&connections=100",
               "redis_parameters": redis_server.PATIENT}
    with clusters.Cluster(tmp_path_factory.mktemp("cluster"), sentinel=False, **patient) as running:
        yield running


@pytest.fixture
def admin(cluster):
    return harness.Client(cluster.port, {"Authorization": f"Bearer {cluster.admin_key}"})


def each(cluster, **headers):
    """A client of every node, without nginx."""
    return [
        harness.Client(node.port, {"Authorization": f"Bearer {cluster.admin_key}", **headers})
        for node in cluster.nodes
    ]


def test_ten_thousand_fans_and_five_thousand_seats(cluster, admin):
    concert = harness.create_concert(admin, seats=SEATS)
    sale = crowd.Crowd(cluster.port, concert, connections=96, twice=0.05, with_room=True, answer_within=60)
    # Two fans request every seat, far apart in time: the first hold wins.
    sale.run((f"fan-{number}", number % SEATS + 1) for number in range(FANS))
    ledger, database, one = sale.ledger, cluster.database, concert["id"]
    assert ledger.unexpected == [] and ledger.troubles == []
    # I7: the same request twice has one effect and one answer.
    assert ledger.different == []
    # I1, I6: every seat has one owner, and every owner requested it.
    assert len(ledger.paid) == SEATS and len({seat for _, seat in ledger.held.values()}) == SEATS
    mine = f"(SELECT id FROM schedules WHERE concert_id = {one})"
    assert database.number(
        f"SELECT COUNT(*) FROM seats WHERE state = 'ASSIGNED' AND schedule_id IN {mine}") == SEATS
    assert database.number(
        f"SELECT COUNT(DISTINCT reservation_number) FROM seats WHERE schedule_id IN {mine}") == SEATS
    # I2: the counts equal the seats.
    assert database.sql(
        "SELECT SUM(available), SUM(held), SUM(assigned), SUM(blocked) FROM seat_counts "
        f"WHERE concert_id = {one}") == [["0", "0", str(SEATS), "0"]]
    # I8: all money taken bought a seat.
    assert database.sql(
        "SELECT p.status, r.status, COUNT(*) FROM payments p "
        "JOIN reservations r ON r.number = p.reservation_number "
        f"WHERE r.concert_id = {one} GROUP BY 1, 2") == [["CAPTURED", "CONFIRMED", str(SEATS)]]
    # I11: sold out once, at the payment of the last seat, with the same rank on every node.
    assert database.number(f"SELECT COUNT(*) FROM sold_out_concerts WHERE concert_id = {one}") == 1
    assert database.number(
        f"SELECT COUNT(*) FROM sold_out_concerts c WHERE concert_id = {one} AND sold_out_at = "
        "(SELECT MAX(paid_at) FROM reservations r WHERE r.concert_id = c.concert_id)") == 1
    [[opened, sold]] = database.sql(
        f"SELECT booking_open_at, sold_out_at FROM sold_out_concerts WHERE concert_id = {one}")
    took = datetime.datetime.fromisoformat(sold) - datetime.datetime.fromisoformat(opened)
    for client in each(cluster):
        path = f"/api/v1/rankings/soldout/concerts/{one}?window=all"
        ranked = harness.until(
            lambda client=client, path=path: (answer := client.get(path)).status == 200 and answer.json)
        assert ranked["durationMillis"] == took // datetime.timedelta(milliseconds=1)
        shown = harness.until(
            lambda client=client:
            (answer := client.get(f"/api/v1/concerts/{one}").json)["status"] == "SOLD_OUT" and answer)
        assert shown["availableSeats"] == 0
        seats = client.get(f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats").json["seats"]
        assert {seat["status"] for seat in seats} == {"ASSIGNED"}


def test_concert_of_one_node_is_known_to_all_nodes_at_once(cluster):
    first, second, third = each(cluster)
    made = first.post("/api/v1/concerts", harness.concert_body(seats=3, room="none")).json
    schedule = made["schedules"][0]["id"]
    assert second.get(f"/api/v1/concerts/{made['id']}").status == 200
    assert len(third.get(f"/api/v1/schedules/{schedule}/seats").json["seats"]) == 3
    assert second.post(f"/api/v1/concerts/{made['id']}/open").status == 200
    held = harness.until(lambda: (answer := third.post("/api/v1/reservations", {
        "scheduleId": schedule, "seats": [1], "userId": "ann"
    })).status == 201 and answer.json)
    # A reservation is read, paid and cancelled on any node.
    assert first.call("GET", f"/api/v1/reservations/{held['reservationId']}",
                      headers={"X-User-Id": "ann"}).json["status"] == "HELD"
    assert harness.pay(second, held, "ann").json["status"] == "CONFIRMED"
    assert third.call("DELETE", f"/api/v1/reservations/{held['reservationId']}",
                      headers={"X-User-Id": "ann"}).json["status"] == "REFUNDED"


def test_operators_use_any_node_with_one_audit_log(cluster):
    first, second, third = each(cluster)
    made = harness.create_concert(first, seats=4, room="none")
    schedule = made["schedules"][0]["id"]
    assert second.post(f"/api/v1/schedules/{schedule}/block", {"seats": [1]}).status == 200
    harness.until(lambda: third.get(f"/api/v1/concerts/{made['id']}").json["availableSeats"] == 3)
    held = first.post("/api/v1/reservations", {"scheduleId": schedule, "seats": [2], "userId": "ann"}).json
    assert harness.pay(first, held, "ann").status == 200
    assert third.post(f"/api/v1/schedules/{schedule}/cancel").status == 200
    refused = harness.until(lambda: (answer := second.post("/api/v1/reservations", {
        "scheduleId": schedule, "seats": [3], "userId": "bob"
    })).status == 409 and answer)
    assert refused.code == "concert-cancelled"
    mine = {"X-User-Id": "ann"}
    harness.until(lambda: first.call("GET", f"/api/v1/reservations/{held['reservationId']}", headers=mine).
                  json["status"] == "REFUNDED")
    actions = [entry["action"] for entry in second.get("/api/v1/admin/audit?limit=2").json["entries"]]
    assert actions == ["schedule.cancel", "seats.block"]
    found = third.get(f"/api/v1/admin/reservations?concertId={made['id']}").json["reservations"]
    assert [each_one["reservationId"] for each_one in found] == [held["reservationId"]]


def test_key_rotation_reaches_every_node_and_keeps_tokens_valid(cluster):
    first, second, third = each(cluster)
    made = harness.create_concert(first, seats=2)
    place = harness.join(first, made["id"], "ann")
    old = place["token"]
    assert second.post("/api/v1/admin/keys/rotate").status == 200
    for client in (first, second, third):
        harness.until(lambda client=client: len(client.get("/.well-known/jwks.json").json["keys"]) == 2)
        assert client.call("GET", f"/api/v1/rooms/{made['id']}/entries/me",
                           headers={"X-Queue-Token": old}).status == 200
    assert harness.join(third, made["id"], "ann")["number"] == place["number"]


def test_three_nodes_that_start_at_once_migrate_once(cluster, tmp_path):
    cluster.database.create_database("together")
    url = cluster.database.url("together")
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(
            harness.run("migrate", "--data", tmp_path / "d", "--mysql", url, "--redis", cluster.redis.url)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [code for code, _, _ in answers] == [0, 0, 0]
    assert sum("steps applied" in out for _, out, _ in answers) == 1
    assert sum("already up to date" in out for _, out, _ in answers) == 2


def test_node_waits_for_a_migration_longer_than_the_read_timeout(cluster, tmp_path):
    database = cluster.database
    database.create_database("slow")
    lock = "'maejin.migrate.slow'"
    waiting = ("SELECT COUNT(*) FROM information_schema.processlist "
               "WHERE db = 'slow' AND info LIKE '%GET_LOCK%' AND time_ms > 2000")
    migrating = subprocess.Popen(database.client("-e", f"SELECT GET_LOCK({lock}, 0), SLEEP(600)"),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        holder = harness.until(lambda: database.number(f"SELECT IFNULL(IS_USED_LOCK({lock}), 0)"))
        node = pool.submit(harness.run, "migrate", "--data", tmp_path / "d", "--mysql",
                           database.url("slow", "?read-timeout-ms=1000"), "--redis", cluster.redis.url)
        try:
            harness.until(lambda: node.done() or database.number(waiting))
            assert not node.done(), node.result()
        finally:
            database.sql(f"KILL {holder}")
            migrating.wait()
        code, out, err = node.result()
    assert code == 0, err
    assert "steps applied" in out


def test_doctor_checks_the_database(cluster, tmp_path):
    code, out, _ = harness.run("doctor", "--data", tmp_path / "d", "--mysql", cluster.database.url(),
                               "--redis", cluster.redis.url)
    assert code == 0, out
    for words in ("READ COMMITTED", "sessions in UTC", "flushed to disk at every commit",
                  "connections in use", "up to date"):
        assert words in out


def test_the_system_page_names_the_true_back_ends(cluster):
    system = each(cluster)[0].get("/api/v1/admin/system").json
    assert system["backEnds"]["bookings"].startswith("MariaDB, mysql://maejin@127.0.0.1")
    assert system["backEnds"]["waiting rooms"].startswith("redis, ")
    assert cluster.database.password not in str(system)
    assert system["configuration"]["mysql"]["value"] == "(secret)"


def test_metrics_include_the_database(cluster):
    text = each(cluster)[0].get("/metrics").text
    for name in ("maejin_database_transactions_total", "maejin_database_connections",
                 "maejin_outbox_waiting"):
        assert name in text


def run_cluster(*flags, binary=harness.BINARY):
    return subprocess.run([sys.executable, harness.ROOT / "deploy/cluster.py", *map(str, flags)],
                          capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "MAEJIN_BINARY": str(binary)})


def test_cluster_reports_a_taken_port_before_it_starts():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run_cluster("--port", port)
    assert refused.returncode == 2 and f"port 127.0.0.1:{port} is in use" in refused.stderr
    assert refused.stdout == "" and "Traceback" not in refused.stderr


def test_cluster_reports_a_component_that_does_not_start(tmp_path):
    missing = tmp_path / "maejin"
    failed = run_cluster("--port", 0, "--one-redis", "--nodes", 1, binary=missing)
    assert failed.returncode == 1 and failed.stderr.startswith("cluster: ") and str(missing) in failed.stderr
    assert "Traceback" not in failed.stderr
