"""Rooms whose rate floats by the health of their site, in all three modes."""
import time

import pytest

import back_ends
import harness
import own_rooms
from harness import until
from health_site import HealthSite
from own_rooms import SHOP, create, forget_keys


@pytest.fixture(scope="module", params=back_ends.NAMES)
def nodes(request, tmp_path_factory):
    yield from own_rooms.running(request.param, tmp_path_factory)


@pytest.fixture
def admin(nodes):
    return nodes.first.admin()


def rate_of(admin, room):
    return admin.get(f"/api/v1/rooms/{room}").json["ratePerMinute"]


def floating(url):
    return {"minPerMinute": 60, "maxPerMinute": 600, "healthUrl": url}


def test_rate_floats_by_the_health_of_the_site(admin, nodes):
    started = time.monotonic()
    with HealthSite() as site:
        rooms = {"easy": "/health/10", "steady": "/health/80", "busy": "/health/95", "broken": "/fault"}
        for room, path in rooms.items():
            made = create(admin, room, floating=floating(site.url + path), ratePerMinute=300)
            assert made["floating"]["healthUrl"] == site.url + path
        create(admin, "unreachable", floating=floating(f"http://127.0.0.1:{harness.free_port()}/"),
               ratePerMinute=300)
        create(admin, "asleep", floating=floating(site.url + "/asleep"), state="paused", ratePerMinute=300)
        until(lambda: rate_of(admin, "easy") > 300)
        for room in ("busy", "broken", "unreachable"):
            until(lambda name=room: rate_of(admin, name) < 300)
        begin = 0

        def steady_stays():
            """After a whole probe. An answer that a pause made late lowers the rate: then again."""
            nonlocal begin
            until(lambda: site.asked.count("/health/80") >= begin + 2)
            if rate_of(admin, "steady") == 300:
                return True
            admin.call("PATCH", "/api/v1/rooms/steady", {"ratePerMinute": 300})
            begin = site.asked.count("/health/80")
            return False

        until(steady_stays, 120)
        assert rate_of(admin, "asleep") == 300
        assert "/asleep" not in site.asked
        # A probe that took longer than its limit counts as more load, until the next one.
        until(lambda: any('maejin_room_site_load{room="busy"} 95' in node.client().get("/metrics").text
                          for node in (nodes.first, nodes.second)))
        # Each node looks every second, and one of them has the lease for five.
        probes = site.asked.count("/health/10")
        assert 1 <= probes <= (time.monotonic() - started) / 5 + 1
        stays = admin.call("PATCH", "/api/v1/rooms/easy", {"floating": None}).json
        assert stays["floating"] is None and stays["ratePerMinute"] > 300
        for room in [*rooms, "unreachable", "asleep"]:
            assert admin.call("DELETE", f"/api/v1/rooms/{room}").status == 204
    changes = [entry for entry in admin.get("/api/v1/admin/audit?limit=200").json["entries"]
               if entry["action"] == "room.configure" and entry["subject"] == "room busy"]
    assert changes == [], "steps have no audit rows"
    if nodes.redis_url:
        control_rate_is_stepped_too_often_without_the_lease(admin, nodes)


def control_rate_is_stepped_too_often_without_the_lease(admin, nodes):
    started = time.monotonic()
    with HealthSite() as site:
        create(admin, "greedy", floating=floating(site.url + "/health/10"))

        def too_often():
            forget_keys(nodes, "*float:*")
            return len(site.asked) > (time.monotonic() - started) / 5 + 1

        until(too_often, 60)
        assert admin.call("DELETE", "/api/v1/rooms/greedy").status == 204


INVALID_RANGES = [
    {"minPerMinute": 0}, {"minPerMinute": 601}, {"maxPerMinute": None}, {"healthUrl": ""},
    {"healthUrl": "ftp://a.example/"}, {"healthUrl": "https://u:p@shop.example/"}, {"other": 1}
]


def test_invalid_range_is_refused(admin):
    create(admin, "ranged")
    for wrong in INVALID_RANGES:
        body = {"floating": {**floating(SHOP + "/health"), **wrong}}
        assert admin.call("PATCH", "/api/v1/rooms/ranged", body).code == "invalid-field", wrong
    assert admin.get("/api/v1/rooms/ranged").json["floating"] is None


def test_site_at_a_private_address_is_not_probed(tmp_path):
    data = tmp_path / "data"
    with HealthSite() as site:
        body = {"id": "shop", "ratePerMinute": 600, "state": "paused", "floating": floating(site.url)}
        with harness.Server(data, "--webhooks-allow-private", "true") as allowed:
            assert allowed.admin().post("/api/v1/rooms", body).status == 201
        with harness.Server(data) as server:
            admin = server.admin()
            answer = admin.post("/api/v1/rooms", {**body, "id": "second"})
            assert (answer.status, answer.code) == (400, "target-refused"), answer
            # A connection is checked as well: such a site has no answer, so the rate falls.
            admin.call("PATCH", "/api/v1/rooms/shop", {"state": "open"})
            until(lambda: rate_of(admin, "shop") < 600)
            assert site.asked == []
