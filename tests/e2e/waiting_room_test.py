"""The waiting room of the real program over HTTP."""
import base64
import json
import os
import sqlite3
import stat

import harness
import pytest


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("rooms") / "data") as running:
        yield running


@pytest.fixture
def room(server, request):
    """`main` as a claim room of one slot, empty again for every test."""
    admin = server.admin()
    answer = admin.call("PUT", "/api/v1/rooms/main",
                        {"capacity": 1, "admission": "claim", "ratePerMinute": None})
    assert answer.status == 200, answer
    return Room(server, request.node.name)


class Room:
    def __init__(self, server, prefix):
        self.server, self.prefix, self.client, self.tokens = server, prefix, server.client(), {}

    def join(self, user):
        answer = self.client.post("/api/v1/rooms/main/entries", {"userId": f"{self.prefix}-{user}"})
        self.tokens[user] = answer.json.get("token")
        return answer

    def of(self, user, method, path):
        return self.client.call(method, f"/api/v1/rooms/main/{path}",
                                headers={"X-Queue-Token": self.tokens[user]})

    def poll(self, user):
        return self.of(user, "GET", "entries/me")

    def enter(self, user):
        return self.of(user, "POST", "enter")

    def leave(self, *users):
        for user in users:
            assert self.of(user, "DELETE", "entries/me").status == 204


def test_a_fan_joins_waits_enters_and_leaves(room):
    first, second = room.join("ann"), room.join("bob")
    assert (first.status, second.status) == (201, 201)
    assert room.join("ann").status == 200
    assert set(first.json) == {
        "token", "status", "rank", "aheadCount", "position", "number", "pollAfterMs", "eta", "outlook",
        "notice", "state", "ended", "expiresIn"
    }
    assert room.join("ann").json["token"] == first.json["token"]
    assert room.poll("ann").json["status"] == "ready"
    waiting = room.poll("bob").json
    assert (waiting["status"], waiting["rank"], waiting["aheadCount"], waiting["position"]) == ("waiting", 1,
                                                                                                1, 2)
    assert room.enter("bob").code == "not-your-turn"
    entered = room.enter("ann").json
    assert entered["status"] == "entered" and entered["token"] == first.json["token"]
    assert 0 < entered["expiresIn"] <= 600
    inside = room.poll("ann").json
    assert (inside["status"], inside["rank"], inside["position"]) == ("entered", 0, 0)
    room.leave("ann", "ann")
    assert room.poll("ann").code == "not-queued"
    assert room.enter("bob").json["status"] == "entered"
    room.leave("bob")


def test_forged_altered_or_foreign_token_is_refused_with_its_code(room):
    token = room.join("ann").json["token"]
    payload, mac = token.split(".")
    raw = bytearray(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    raw[6] ^= 1
    altered = base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode() + "." + mac
    for bad in (altered, payload + "." + "A" * 22, payload, "x", token + "A", token[:-1]):
        answer = room.client.get("/api/v1/rooms/main/entries/me", **{"X-Queue-Token": bad})
        assert (answer.status, answer.code) == (401, "token-invalid"), bad
    answer = room.client.get("/api/v1/rooms/12345/entries/me", **{"X-Queue-Token": token})
    assert answer.code == "token-invalid"
    assert room.client.get("/api/v1/rooms/main/entries/me").status == 401
    answer = room.client.get("/api/v1/rooms/main/entries/me",
                             **{"X-Queue-Token": token, "X-User-Id": "mallory"})
    assert answer.code == "forbidden"
    room.leave("ann")


def test_a_trusted_poll_may_name_the_fan(room):
    room.join("ann")
    user = f"{room.prefix}-ann"
    assert room.client.get(f"/api/v1/rooms/main/entries/me?userId={user}").json["rank"] == 0
    assert room.client.get("/api/v1/rooms/main/entries/me", **{"X-User-Id": user}).json["rank"] == 0
    room.leave("ann")


def test_serving_is_public_and_cacheable(room):
    room.join("ann")
    answer = room.client.get("/api/v1/rooms/main/serving")
    assert set(answer.json) == {"serving", "waiting", "entered", "capacity", "bypassed", "state", "order"}
    assert answer.headers["cache-control"] == "public, max-age=1"
    again = room.client.get("/api/v1/rooms/main/serving", **{"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.text) == (304, "")
    room.leave("ann")
    assert room.client.get("/api/v1/rooms/main/serving",
                           **{"If-None-Match": answer.headers["etag"]}).status == 200


def test_unknown_rooms_and_bad_settings_are_refused(server):
    admin = server.admin()
    assert admin.get("/api/v1/rooms/999").code == "room-not-found"
    assert server.client().get("/api/v1/rooms/main").status == 401
    for body in ({"capacity": -1}, {"capacity": "x"}, {"speed": 1}, {"state": "later"}, {"admission": "luck"},
                 {"graceSeconds": 0}, {"ratePerMinute": 0}, {"opensAt": "soon"}):
        answer = admin.call("PUT", "/api/v1/rooms/main", body)
        assert (answer.status, answer.code) == (400, "invalid-field"), body
    assert admin.call("PUT", "/api/v1/rooms/main", {"state": "scheduled"}).code == "invalid-field"


def test_put_changes_only_the_named_settings(server):
    admin = server.admin()
    before = admin.get("/api/v1/rooms/main").json
    after = admin.call("PUT", "/api/v1/rooms/main", {"notice": "곧 시작합니다", "ratePerMinute": 30}).json
    assert after == {**before, "notice": "곧 시작합니다", "ratePerMinute": 30}
    again = admin.call("PUT", "/api/v1/rooms/main", {"notice": None, "ratePerMinute": None}).json
    assert again == {**before, "notice": None, "ratePerMinute": None}


def test_short_queue_paths_of_requirement_004(server):
    admin, client = server.admin(), server.client()
    admin.call("PUT", "/api/v1/rooms/main", {"capacity": 1, "admission": "push"})
    first = client.post("/queue/token", {"userId": "q1"}).json
    assert (first["position"], first["status"]) == (0, "entered") and 0 < first["expiresIn"] <= 600
    assert client.post("/queue/token", {"userId": "q1"}).json["token"] == first["token"]
    second = client.post("/queue/token", {"userId": "q2"}).json
    assert (second["position"], second["status"]) == (1, "waiting")
    assert client.get("/queue/status", **{"X-Queue-Token": second["token"]}).json["position"] == 1
    assert client.get(f"/queue/status?token={first['token']}").json["status"] == "entered"
    for token in (first["token"], second["token"]):
        client.call("DELETE", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": token})


def test_pass_is_an_es256_jwt_and_the_gate_accepts_it(room):
    room.join("ann")
    room.join("bob")
    entered = room.enter("ann").json
    head, claims, _ = (json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) if i < 2 else part
                       for i, part in enumerate(entered["pass"].split(".")))
    keys = room.client.get("/.well-known/jwks.json").json["keys"]
    assert head["alg"] == "ES256" and head["kid"] in [key["kid"] for key in keys]
    assert claims["aud"] == "room:main" and claims["sub"] == f"{room.prefix}-ann" and claims["jti"]

    def gate(query="", **headers):
        answer = room.client.get("/gate" + query, **headers)
        return answer.status, answer.headers["x-maejin-gate"]

    assert gate() == (401, "none")
    assert gate(**{"X-Maejin-Pass": entered["pass"]}) == (204, "ok")
    assert gate("?room=main", Cookie="a=b; maejin_pass=" + entered["pass"]) == (204, "ok")
    assert gate("?room=7", **{"X-Maejin-Pass": entered["pass"]}) == (403, "other-room")
    assert gate(**{"X-Maejin-Pass": entered["pass"], "X-User-Id": "mallory"}) == (403, "other-user")
    assert gate(**{"X-Queue-Token": room.tokens["bob"]}) == (403, "not-inside")
    none = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    for bad in (entered["pass"][:-4] + "AAAA", none + "." + entered["pass"].split(".")[1] + ".", "a.b.c"):
        assert gate(**{"X-Maejin-Pass": bad}) == (401, "invalid")
    again = room.enter("ann").json["pass"].split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(again + "=" * (-len(again) % 4)))["jti"] == claims["jti"]
    assert room.server.admin().post("/api/v1/rooms/main/revocations", {"userId": claims["sub"]}).status == 204
    assert gate(**{"X-Maejin-Pass": entered["pass"]}) == (403, "not-inside")
    room.leave("bob")


def test_keys_are_secret_and_rotate_with_overlap(room):
    folder = room.server.data / "keys"
    assert all(stat.S_IMODE(os.stat(folder / name).st_mode) == 0o600 for name in os.listdir(folder))
    room.join("ann")
    old = room.enter("ann").json["pass"]
    before = room.client.get("/.well-known/jwks.json").json["keys"]
    assert room.server.admin().post("/api/v1/admin/keys/rotate").status == 200
    after = room.client.get("/.well-known/jwks.json").json["keys"]
    assert len(after) == len(before) + 1 and all(key in after for key in before)
    assert room.poll("ann").json["status"] == "entered"
    assert room.client.get("/gate", **{"X-Maejin-Pass": old}).status == 204
    assert room.enter("ann").json["pass"].split(".")[0] != old.split(".")[0]
    room.leave("ann")


def test_places_survive_a_kill(tmp_path):
    with harness.Server(tmp_path / "data") as first:
        first.admin().call("PUT", "/api/v1/rooms/main", {"capacity": 1, "admission": "claim"})
        room = Room(first, "k")
        numbers = {user: room.join(user).json["number"] for user in ("ann", "bob", "cat")}
        assert room.enter("ann").status == 200
        first.kill()
    with harness.Server(tmp_path / "data") as second:
        room.client = second.client()
        assert room.poll("ann").json["status"] == "entered"
        assert [room.poll(user).json["rank"] for user in ("bob", "cat")] == [0, 1]
        assert {user: room.poll(user).json["number"] for user in numbers} == numbers


def test_pre_queue_draw_is_verifiable(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        admin, client = server.admin(), server.client()
        admin.call("PUT", "/api/v1/rooms/main", {"state": "closed", "capacity": 0, "admission": "claim"})
        admin.call("PUT", "/api/v1/rooms/main", {"state": "pre-queue"})
        promised = client.get("/api/v1/rooms/main/shuffle").json["shuffles"][0]
        assert set(promised) == {"commitment", "firstNumber"}
        room = Room(server, "p")
        for fan in range(40):
            assert room.join(fan).json["rank"] is None
        admin.call("PUT", "/api/v1/rooms/main", {"state": "open"})
        published = client.get("/api/v1/rooms/main/shuffle").text
        facts = json.loads(published)["shuffles"][0]
        assert facts["commitment"] == promised["commitment"] and facts["count"] == 40
        ranks = [room.poll(fan).json["rank"] for fan in range(40)]
        assert sorted(ranks) == list(range(40)) and ranks != sorted(ranks)
        file = tmp_path / "shuffle.json"
        file.write_text(published, encoding="utf-8")
        code, out, _ = harness.run("verify-shuffle", file, "--number", "8")
        assert code == 0 and f"number 8 was drawn to position {ranks[7] + 1} of 40" in out
        code, out, _ = harness.run("verify-shuffle", file, "--number", "8", "--json")
        assert code == 0 and json.loads(out)["position"] == ranks[7] + 1
        code, _, err = harness.run("verify-shuffle", file, "--number", "300")
        assert code == 1 and "number 300 was in no draw" in err
        file.write_text(published.replace(facts["seed"], facts["seed"][::-1]), encoding="utf-8")
        assert harness.run("verify-shuffle", file)[0] == 1


def test_joins_from_one_address_prefix_are_limited(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        server.admin().call("PUT", "/api/v1/rooms/main", {"joinsPerAddressPerMinute": 3})
        room = Room(server, "l")
        room.client = server.client(**{"X-Forwarded-For": "203.0.113.7"})
        assert [room.join(user).status for user in "abc"] == [201] * 3
        refused = room.join("d")
        assert (refused.status,
                refused.code) == (429, "too-many-requests") and int(refused.headers["retry-after"]) > 0
        assert room.join("a").status == 200, "an existing place is kept"


def test_the_command_line_rotates_keys_with_and_without_a_server(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        code, out, error = harness.run("keys", "rotate", "--data", tmp_path / "data")
        assert code == 0, error
        assert json.loads(out) == server.client().get("/.well-known/jwks.json").json
        assert len(json.loads(out)["keys"]) == 2
    assert len(json.loads(harness.run("keys", "rotate", "--data", tmp_path / "data")[1])["keys"]) == 3
    with sqlite3.connect(tmp_path / "data" / "maejin.db") as db:
        rows = db.execute("SELECT actor, action, subject, detail FROM audit ORDER BY id").fetchall()
    assert [row[:3] for row in rows] == [("admin", "keys.rotate", "signing keys"),
                                         ("command line", "keys.rotate", "signing keys")]
    assert json.loads(rows[0][3]) == {"kid": json.loads(out)["keys"][0]["kid"]}


def test_operator_actions_are_in_the_audit_log(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        server.admin().call("PUT", "/api/v1/rooms/main", {"capacity": 5})
        server.admin().call("PUT", "/api/v1/rooms/main", {"state": "paused"})
    with sqlite3.connect(tmp_path / "data" / "maejin.db") as db:
        rows = db.execute("SELECT actor, action, subject, detail FROM audit ORDER BY id").fetchall()
    assert rows == [("admin", "room.configure", "room main", '{"capacity":5}'),
                    ("admin", "room.configure", "room main", '{"state":"paused"}')]


def test_doctor_finds_a_tampered_audit_log(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        for capacity in (5, 6, 7):
            server.admin().call("PUT", "/api/v1/rooms/main", {"capacity": capacity})

    def audit():
        code, out, _ = harness.run("doctor", "--json", "--data", tmp_path / "data")
        return code, next((f["health"], f["sentence"]) for f in json.loads(out) if f["about"] == "audit")

    assert audit()[1][0] == "ok"
    with sqlite3.connect(tmp_path / "data" / "maejin.db") as db:
        db.execute("UPDATE audit SET detail = '{}' WHERE id = 2")
    code, (health, sentence) = audit()
    assert (code, health) == (1, "bad") and "row 2" in sentence


def test_room_metrics_count_room_events(tmp_path):
    with harness.Server(tmp_path / "data", "--metrics-rooms", "1") as server:
        admin, room = server.admin(), Room(server, "m")
        admin.call("PUT", "/api/v1/rooms/main", {"capacity": 1, "admission": "claim"})
        harness.create_concert(admin)
        for user in ("ann", "bob", "cat"):
            room.join(user)
        assert room.enter("bob").status == 409
        assert room.enter("ann").status == 200
        room.poll("bob")
        room.leave("cat")
        text = room.client.get("/metrics").text
        for line in ("maejin_rooms 2", "maejin_rooms_waiting 1", "maejin_rooms_entered 1",
                     "maejin_rooms_capacity 801", "maejin_room_arrivals_total 3",
                     "maejin_room_admissions_total 1", "maejin_room_polls_total 1",
                     "maejin_room_no_shows_total 0", 'maejin_room_ends_total{reason="left"} 1',
                     'maejin_refusals_total{code="not-your-turn"} 1', 'maejin_room_waiting{room="main"} 1',
                     'maejin_room_entered{room="main"} 1', 'maejin_room_admitted_total{room="main"} 1',
                     'maejin_room_capacity{room="main"} 1'):
            assert line + "\n" in text, line
        assert text.count("maejin_room_waiting{") == 1, "only the busiest room has series of its own"


def test_draining_room_refuses_joins_and_admits_waiters(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        admin, room = server.admin(), Room(server, "d")
        admin.call("PUT", "/api/v1/rooms/main", {"capacity": 1, "admission": "claim"})
        room.join("ann")
        room.join("bob")
        assert admin.call("PUT", "/api/v1/rooms/main", {"draining": True}).json["draining"] is True
        refused = room.client.post("/api/v1/rooms/main/entries", {"userId": "late"})
        assert (refused.status, refused.code) == (409, "room-closed")
        assert room.enter("ann").status == 200
        room.leave("ann")
        assert room.enter("bob").status == 200
        assert admin.call("PUT", "/api/v1/rooms/main", {"draining": False}).status == 200
        assert room.join("cat").status == 201
