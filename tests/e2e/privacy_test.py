"""A person is erased: bookings keep their figures, the person is gone, in every mode."""
import base64
import contextlib
import json
import re
import sqlite3

import back_ends
import harness
import pytest
import redis_server


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("maejin")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        running = parts.enter_context(
            harness.Server(folder / "data", "--log-access", folder / "access.log", *flags))
        running.back_end, running.flags, running.access_log = request.param, flags, folder / "access.log"
        yield running


def figures(admin, concert):
    rows = admin.get(f"/api/v1/admin/reservations?concertId={concert['id']}").json["reservations"]
    return [{name: value for name, value in row.items() if name != "userId"}
            for row in rows], {row["userId"] for row in rows}


def test_erased_person_is_gone_and_figures_stay(server):
    admin, client = server.admin(), server.client()
    concert = harness.create_concert(admin, seats=4)
    other = harness.create_concert(admin, seats=2)
    paid = harness.buy(client, concert, 1, "ann lee")
    harness.buy(client, concert, 2, "bob")
    token = harness.enter(client, other["id"], "ann lee")
    harness.join(client, "main", "ann lee")
    before, users = figures(admin, concert)
    assert users == {"ann lee", "bob"}
    code, out, err = harness.run("erase", "--user", "ann lee", "--json", "--data", server.data, *server.flags)
    assert code == 0 and json.loads(out) == {"reservations": 1}, err
    after, users = figures(admin, concert)
    assert after == before
    pseudonym = (users - {"bob"}).pop()
    assert re.fullmatch(r"erased-[0-9a-f]{32}", pseudonym) and len(users) == 2
    assert client.get(f"/api/v1/reservations/{paid['reservationId']}",
                      **{"X-User-Id": "ann lee"}).status in (403, 404)
    assert client.get("/api/v1/reservations", **{"X-User-Id": "ann lee"}).json["items"] == []
    me = client.get(f"/api/v1/rooms/{other['id']}/entries/me", **{"X-Queue-Token": token})
    assert me.code == "not-queued", "the slot ended"
    row = admin.get("/api/v1/admin/audit?limit=1").json["entries"][0]
    assert (row["action"], json.loads(row["detail"])) == ("user.erase", {"reservations": 1})
    assert re.fullmatch(r"user [\w-]{22}", row["subject"])
    again = admin.call("DELETE", "/api/v1/admin/users/ann%20lee")
    assert (again.status, again.json) == (200, {"reservations": 0})
    assert server.client().call("DELETE", "/api/v1/admin/users/bob").status == 401


def jti_of(token):
    claims = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["jti"]


def test_passes_of_an_erased_person_are_revoked(server):
    """One whose slot the erasure ends, and one whose slot had ended: sites that verify offline read the
    list."""
    admin, client = server.admin(), server.client()
    body = {"id": "offline", "visitors": "users", "verify": "offline"}
    assert admin.post("/api/v1/rooms", body).status == 201
    path, jtis = "/api/v1/rooms/offline", set()
    for user in ("minji", "kang"):
        token = harness.join(client, "offline", user)["token"]
        entered = client.post(f"{path}/enter", headers={"X-Queue-Token": token}).json
        jtis.add(jti_of(entered["pass"]))
    assert client.call("DELETE", f"{path}/entries/me", headers={"X-Queue-Token": token}).status == 204
    for user in ("minji", "kang"):
        assert admin.call("DELETE", f"/api/v1/admin/users/{user}").status == 200
    assert jtis <= set(client.get(f"{path}/revocations").json["revoked"])


@pytest.mark.parametrize("back_end", ["redis", "mariadb"])
def test_used_token_of_an_erased_person_stays_used_after_a_loss_of_redis(tmp_path, back_end):
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(tmp_path / "redis"))
        flags = back_ends.database(tmp_path, parts) if back_end == "mariadb" else []
        server = parts.enter_context(harness.Server(tmp_path / "data", "--redis", redis.patient_url, *flags))
        client = server.client()
        room = harness.create_concert(server.admin())["id"]
        used = harness.enter(client, room, "ann")
        waiting = harness.join(client, room, "bob")["token"]
        assert server.admin().call("DELETE", "/api/v1/admin/users/ann").status == 200
        redis.cli("FLUSHALL")

        def status(token):
            return client.get(f"/api/v1/rooms/{room}/entries/me", **{"X-Queue-Token": token}).status

        harness.until(lambda: status(waiting) == 200)
        assert status(used) == 404


def test_access_log_has_no_user_ids(server):
    server.client().get("/api/v1/rooms/main/entries/me?userId=secret-person&x=1")
    server.admin().call("DELETE", "/api/v1/admin/users/secret-person")
    # Each worker writes its own lines, in no common order.
    masked = ("entries/me?userId=***&x=1", "/api/v1/admin/users/***")
    log = server.access_log
    harness.until(lambda: all(each in log.read_text(encoding="utf-8") for each in masked))
    assert "secret-person" not in log.read_text(encoding="utf-8")


def move_to_2020(folder, shared, schedule):
    """The date of a schedule, in the database of a stopped server."""
    change = f"UPDATE schedules SET concert_date = '2020-01-01' WHERE id = {schedule}"
    if shared:
        shared.sql(change)
        return
    with contextlib.closing(sqlite3.connect(folder / "data" / "maejin.db")) as database:
        database.execute(change)
        database.commit()


@pytest.mark.parametrize("back_end", ["embedded", "mariadb"])
def test_retention_erases_past_reservations_only(tmp_path_factory, back_end):
    """Concerts of 2020 and of next year; 30 days are kept."""
    folder = tmp_path_factory.mktemp("retention")
    with contextlib.ExitStack() as parts:
        flags, shared = back_ends.flags("embedded", folder, parts), None
        if back_end == "mariadb":
            shared = back_ends.mariadb(folder, parts)
            flags = [*back_ends.flags("redis", folder, parts), "--mysql",
                     shared.url(parameters=back_ends.PATIENT)]
        with harness.Server(folder / "data", *flags) as server:
            concert = harness.create_concert(server.admin(), seats=2, dates=2, room="none")
            for schedule, user in zip(concert["schedules"], ("old", "new")):
                held = harness.hold(server.client(), schedule["id"], [1], user, "").json
                assert harness.pay(server.client(), held, user).status == 200
        move_to_2020(folder, shared, concert["schedules"][0]["id"])
        with harness.Server(folder / "data", "--privacy-retention-days", "30", *flags) as server:
            admin = server.admin()
            harness.until(lambda: any(user.startswith("erased-") for user in figures(admin, concert)[1]))
            _, users = figures(admin, concert)
            assert "new" in users and "old" not in users
            newest = "/api/v1/admin/audit?limit=1"  # the row follows the last batch
            harness.until(lambda: admin.get(newest).json["entries"][0]["action"] == "retention.erase")


def test_revoked_fan_is_a_keyed_hash_in_the_audit_log(server):
    """The chain of the log cannot be changed when the fan is erased later."""
    admin = server.admin()
    harness.join(server.client(), "main", "hanni pham")
    revoked = admin.post("/api/v1/rooms/main/revocations", {"userId": "hanni pham"})
    assert revoked.status in (200, 204), revoked
    admin.call("DELETE", "/api/v1/admin/users/hanni%20pham")
    rows = {}

    def both_rows():
        for row in admin.get("/api/v1/admin/audit?limit=5").json["entries"]:
            rows.setdefault(row["action"], row)  # newest first
        return {"room.revoke", "user.erase"} <= set(rows)

    harness.until(both_rows)  # with Redis a row of the room follows later
    assert "hanni" not in json.dumps(admin.get("/api/v1/admin/audit").json)
    assert rows["room.revoke"]["detail"] == rows["user.erase"]["subject"], "one person, one hash"
