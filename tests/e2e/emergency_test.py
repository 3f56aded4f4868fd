"""Emergency controls over HTTP, in every mode: the bypass of a room, and the maintenance page."""
import base64
import contextlib
import json

import back_ends
import console_session_test
import harness
import pytest


@pytest.fixture(scope="module", params=back_ends.NAMES)
def site(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("maejin")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        servers = [harness.Server(folder / "data", *flags)]
        parts.callback(lambda: servers[-1].stop())

        def restart():
            servers[-1].kill()
            servers.append(harness.Server(folder / "data", *flags))
            return servers[-1]

        yield servers, restart


def actions(admin, prefix):
    entries = admin.get("/api/v1/admin/audit?limit=100").json["entries"]
    rows = [row for row in reversed(entries) if row["action"].startswith(prefix)]
    assert {row["actor"] for row in rows} <= {"admin"}, "the name of the key, without an address"
    return [row["action"] for row in rows]


def gate(client, room, **headers):
    answer = client.get(f"/gate?room={room}", **headers)
    return answer.status, answer.headers["x-maejin-gate"]


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def full_room(admin, client, waiting):
    """A concert whose only slot is taken, and fans in line."""
    concert = harness.create_concert(admin, seats=20)
    room = concert["id"]
    limits = {"capacity": 1, "sessionLimitSeconds": 900}
    assert admin.call("PUT", f"/api/v1/rooms/{room}", limits).status == 200
    harness.enter(client, room, "inside")
    return concert, room, {user: harness.join(client, room, user)["token"] for user in waiting}


def test_bypass_lets_every_fan_in_without_a_slot_and_keeps_the_line(site):
    servers, restart = site
    admin, client = servers[-1].admin(), servers[-1].client()
    concert, room, tokens = full_room(admin, client, ["bob", "cho", "dan"])
    path, date = f"/api/v1/admin/rooms/{room}/bypass", concert["schedules"][0]["id"]

    def enter(user):
        return client.post(f"/api/v1/rooms/{room}/enter", headers={"X-Queue-Token": tokens[user]})

    def serving():
        counts = client.get(f"/api/v1/rooms/{room}/serving").json
        return counts["entered"], counts["waiting"], counts["bypassed"]

    def status(user):
        return client.get(f"/api/v1/rooms/{room}/entries/me", **{"X-Queue-Token": tokens[user]}).json

    # Without a bypass.
    assert enter("bob").code == "not-your-turn" and serving() == (1, 3, 0)
    assert client.post("/api/v1/reservations", {"scheduleId": date, "seats": [1], "userId": "eve"}).code == \
        "pass-required"
    assert gate(client, room) == (401, "none")
    for minutes in (0, 1441, 1.5, "5", None):
        assert admin.post(path, {"minutes": minutes}).code == "invalid-field"
    assert admin.post("/api/v1/admin/rooms/4711/bypass", {"minutes": 5}).code == "room-not-found"
    assert client.post(path, {"minutes": 5}).code == "unauthorized"

    started = admin.post(path, {"minutes": 5})
    assert started.status == 200 and started.json["minutes"] == 5, started
    assert admin.get(f"/api/v1/rooms/{room}").json["bypassUntil"] == started.json["bypassUntil"]
    # A waiting fan sees its turn, goes in, and keeps its place.
    waits = status("bob")
    assert waits["status"] == "ready" and 0 < waits["expiresIn"] <= 300 and waits["position"] == 1
    entered = enter("bob").json
    assert entered["status"] == "entered" and 895 <= entered["sessionEndsIn"] <= 900
    assert enter("bob").json["sessionEndsIn"] <= entered["sessionEndsIn"]
    assert serving() == (1, 3, 1)
    # A fan without a place holds seats, and a gateway lets every request pass.
    held = client.post("/api/v1/reservations", {"scheduleId": date, "seats": [1], "userId": "eve"})
    assert held.status == 201, held
    gil = client.post(f"/api/v1/rooms/{room}/enter", {"userId": "gil"}).json
    assert gil["status"] == "entered" and gil["number"] == 0
    polled = client.get(f"/api/v1/rooms/{room}/entries/me", **{"X-Queue-Token": gil["token"]}).json
    assert polled["status"] == "entered"
    assert harness.hold(client, date, [6], "gil", gil["token"]).status == 201
    assert gate(client, room) == (204, "bypass")
    assert gate(client, room, **{"X-Queue-Token": tokens["cho"]}) == (204, "bypass")
    assert serving() == (1, 3, 4)
    assert harness.metric(admin, f'maejin_room_bypassed{{room="{room}"}}') == 4
    assert harness.metric(admin, "maejin_rooms_bypassed") >= 4

    # A crash keeps the bypass and the fans inside.
    server = restart()
    admin, client = server.admin(), server.client()
    harness.until(lambda: client.get(f"/api/v1/rooms/{room}/serving").status == 200)
    assert gate(client, room) == (204, "bypass")
    assert harness.until(lambda: serving() == (1, 3, 4))

    # After its end, fans that were let in stay inside; others wait as before.
    assert admin.call("DELETE", path).status == 204 == admin.call("DELETE", path).status
    assert admin.get(f"/api/v1/rooms/{room}").json["bypassUntil"] is None
    assert gate(client, room) == (401, "none")
    assert enter("dan").code == "not-your-turn" and status("dan")["status"] == "waiting"
    assert client.post("/api/v1/reservations", {"scheduleId": date, "seats": [2], "userId": "fay"}).code == \
        "pass-required"
    assert status("bob")["status"] == "entered"
    assert gate(client, room, **{"X-Maejin-Pass": entered["pass"]}) == (204, "bypass")
    assert harness.hold(client, date, [3], "bob", tokens["bob"]).status == 201
    assert client.post("/api/v1/reservations", {"scheduleId": date, "seats": [4],
                                                "userId": "eve"}).status == 201
    assert serving() == (1, 3, 4)

    # A stay ends when the fan leaves or is revoked, and its pass is listed.
    left = client.call("DELETE", f"/api/v1/rooms/{room}/entries/me", headers={"X-Queue-Token": tokens["bob"]})
    assert left.status == 204
    assert gate(client, room, **{"X-Maejin-Pass": entered["pass"]}) == (403, "not-inside")
    assert claims(entered["pass"])["jti"] in client.get(f"/api/v1/rooms/{room}/revocations").json["revoked"]
    assert admin.post(f"/api/v1/rooms/{room}/revocations", {"userId": "eve"}).status == 204
    assert client.post("/api/v1/reservations", {"scheduleId": date, "seats": [5], "userId": "eve"}).code == \
        "pass-required"
    assert serving() == (1, 2, 2)
    assert actions(admin, "room.bypass") == ["room.bypass", "room.bypass-end"]


def test_anonymous_visitor_of_a_bypassed_room_stays_inside_by_its_cookie(site):
    servers, _ = site
    admin, client = servers[-1].admin(), servers[-1].client()
    own = {"id": "shop", "capacity": 1, "returnUrls": ["https://shop.example/"]}
    assert admin.post("/api/v1/rooms", own).status == 201
    page = {"Accept": "text/html"}
    assert client.get("/gate?room=shop&as=forward", **page).status == 303
    assert admin.post("/api/v1/admin/rooms/shop/bypass", {"minutes": 1}).status == 200
    passed = client.get("/gate?room=shop&as=forward", **page)
    assert passed.status == 200 and passed.headers["x-maejin-gate"] == "bypass"
    assert admin.call("DELETE", "/api/v1/admin/rooms/shop/bypass").status == 204
    assert client.get("/gate?room=shop&as=forward", **page).status == 303
    cookie = passed.headers["set-cookie"].split(";")[0]
    assert gate(client, "shop", Cookie=cookie) == (204, "bypass")
    assert admin.call("DELETE", "/api/v1/rooms/shop").status == 204
    assert admin.post("/api/v1/rooms", own).status == 201
    assert gate(client, "shop", Cookie=cookie)[0] == 403
    assert admin.call("DELETE", "/api/v1/rooms/shop").status == 204


def test_maintenance_closes_the_site_for_fans_and_nothing_else(site):
    servers, restart = site
    admin, client = servers[-1].admin(), servers[-1].client()
    concert, room, tokens = full_room(admin, client, ["bob"])
    assert admin.get("/api/v1/admin/maintenance").json == {"active": False, "since": None}
    assert client.get("/", Accept="text/html").status == 200
    begun = admin.call("PUT", "/api/v1/admin/maintenance")
    assert begun.status == 200 and begun.json["active"], begun
    server = restart()
    admin, client = server.admin(), server.client()
    assert admin.get("/api/v1/admin/maintenance").json["since"] == begun.json["since"]

    # Fans.
    for language, words in (("ko", "점검"), ("en", "maintenance"), ("ja", "メンテナンス"),
                            ("zh-TW", "維護")):
        for path in ("/", f"/events/{room}", f"/events/{room}/seats", f"/wait/{room}", "/me"):
            shown = client.get(path, Accept="text/html", **{"Accept-Language": language})
            assert shown.status == 503 and words in shown.text, (path, shown)
            assert int(shown.headers["retry-after"]) > 0
            assert shown.headers["content-type"].startswith("text/html")
            assert shown.headers["cache-control"] == "no-store"
    for method, path in (("POST", f"/api/v1/rooms/{room}/entries"), ("GET", "/api/v1/concerts"),
                         ("POST", f"/api/v1/rooms/{room}/enter"), ("POST", "/api/v1/reservations"),
                         ("GET", f"/api/v1/rooms/{room}/serving"), ("GET", "/docs")):
        refused = client.call(method, path, {"userId": "ann"} if method == "POST" else None)
        assert (refused.status, refused.code) == (503, "maintenance"), (path, refused)
        assert int(refused.headers["retry-after"]) > 0

    # Places in line, operators, health checks and payment callbacks.
    waits = client.get(f"/api/v1/rooms/{room}/entries/me", **{"X-Queue-Token": tokens["bob"]})
    assert waits.status == 200 and waits.json["status"] == "waiting"
    for path in ("/healthz", "/metrics", "/console", "/.well-known/jwks.json"):
        assert client.get(path).status == 200, path
    assert admin.get(f"/api/v1/rooms/{room}").status == 200
    assert client.post("/api/v1/payments/callback", {}).code != "maintenance"

    # The console reads what fans read, too; its operators see the page that fans see, and join no line.
    cookie = {"Cookie": console_session_test.sign_in(server.client(), server.admin_key)[1]}
    for path in (f"/api/v1/concerts/{room}", f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats"):
        assert client.get(path, **cookie).status == 200, path
        assert client.get(path, Cookie="maejin_console=x").code == "maintenance", path
        assert client.get(path, **cookie, Origin="http://evil.example").code == "maintenance", path
    assert client.get("/", Accept="text/html", **cookie).status == 503
    assert client.post(f"/api/v1/rooms/{room}/entries", {"userId": "ann"}, cookie).code == "maintenance"

    assert admin.call("DELETE", "/api/v1/admin/maintenance").status == 204
    assert client.get("/", Accept="text/html").status == 200
    held = harness.hold(client, concert["schedules"][0]["id"], [1], "bob", tokens["bob"])
    assert held.code == "pass-required"
    assert actions(admin, "maintenance") == ["maintenance.begin", "maintenance.end"]


def test_gate_lets_no_visitor_pass_during_maintenance(site):
    servers, _ = site
    admin, client = servers[-1].admin(), servers[-1].client()
    room = harness.create_concert(admin, seats=5)["id"]
    inside = {"X-Queue-Token": harness.enter(client, room, "ann")}
    page, program = {"Accept": "text/html", **inside}, {"Accept": "application/json", **inside}
    assert gate(client, room, **inside) == (204, "ok")
    assert admin.call("PUT", "/api/v1/admin/maintenance").status == 200
    # nginx's auth_request understands 401, and takes 503 for a failure of the gate.
    assert gate(client, room, **inside) == gate(client, room) == (401, "maintenance")
    assert f"/wait/{room}" in client.get(f"/gate?room={room}", **inside).headers["x-maejin-wait"]
    assert client.get(f"/gate?room={room}&as=envoy", **inside).status == 403
    sent = client.get(f"/gate?room={room}&as=forward", **page)
    assert sent.status == 303 and f"/wait/{room}" in sent.headers["location"], sent
    told = client.get(f"/gate?room={room}&as=forward", **program)
    assert (told.status, told.code) == (401, "wait-required") and f"/wait/{room}" in told.json["waitUrl"]
    assert client.get(f"/gate?room={room}&as=other").status == 400
    assert client.get(f"/wait/{room}", Accept="text/html").status == 503
    assert admin.call("DELETE", "/api/v1/admin/maintenance").status == 204
    assert gate(client, room, **inside) == (204, "ok")
