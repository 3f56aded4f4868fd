"""Idempotency-Key behind a real nginx, where every client has the proxy's address: a key belongs to its
caller and route, refusals are not remembered, and an operator's key outlives a flood of other keys. On every
back end."""
import contextlib
import threading
import types

import back_ends
import harness
import pytest
import cluster as clusters  # in deploy/, where harness.py looks


@pytest.fixture(scope="module", params=back_ends.NAMES)
def site(request, tmp_path_factory):
    """A server with nginx in front of it: `fan()` and `operator()` are clients of nginx."""
    folder = tmp_path_factory.mktemp(f"keys-{request.param}")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        server = parts.enter_context(harness.Server(folder / "data", *flags))
        nginx = clusters.Nginx(folder, harness.free_port(), [server])
        parts.callback(nginx.kill)
        nginx.start()
        admin = {"Authorization": f"Bearer {server.admin_key}"}
        yield types.SimpleNamespace(fan=lambda: harness.Client(nginx.port),
                                    operator=lambda: harness.Client(nginx.port, admin), server=server)


@pytest.fixture
def sale(site):
    """A concert on sale, ann inside with her token, and the body of her hold, which names no user."""
    concert = harness.create_concert(site.operator(), seats=5)
    token = harness.enter(site.fan(), concert["id"], "ann")
    schedule = concert["schedules"][0]["id"]
    return types.SimpleNamespace(concert=concert, token=token, body={"scheduleId": schedule, "seats": [1]})


def hold(client, body, key, **headers):
    return client.post("/api/v1/reservations", body, {"Idempotency-Key": key, **headers})


def test_key_and_body_of_another_client_do_not_return_the_reservation(site, sale):
    mine = hold(site.fan(), sale.body, "k1", **{"X-Queue-Token": sale.token})
    assert mine.status == 201, mine
    bob = harness.enter(site.fan(), sale.concert["id"], "bob")
    for headers in ({}, {"X-Queue-Token": "nonsense"}, {"X-User-Id": "bob"}, {"X-User-Id": "ann"},
                    {"X-Queue-Token": bob}):
        stranger = hold(site.fan(), sale.body, "k1", **headers)
        assert stranger.status in (401, 403, 409), (headers, stranger)
        assert mine.json[
            "reservationId"] not in stranger.text and "idempotent-replayed" not in stranger.headers
    again = hold(site.fan(), sale.body, "k1", **{"X-Queue-Token": sale.token})
    assert (again.status, again.json) == (201, mine.json) and again.headers["idempotent-replayed"] == "true"


def test_request_with_a_bad_token_does_not_take_the_key(site, sale):
    for headers in ({"X-Queue-Token": "nonsense"}, {}):
        refused = hold(site.fan(), sale.body, "k2", **headers)
        assert refused.status == 401, refused
    mine = hold(site.fan(), sale.body, "k2", **{"X-Queue-Token": sale.token})
    assert mine.status == 201 and "idempotent-replayed" not in mine.headers, mine


def test_a_refusal_is_not_remembered(site):
    concert = harness.create_concert(site.operator(), opened=False, room="none",
                                     bookingOpenAt="2099-01-01T00:00:00Z")
    body = {"scheduleId": concert["schedules"][0]["id"], "seats": [1], "userId": "ann"}
    assert hold(site.fan(), body, "k3").code == "not-open"
    assert site.operator().post(f"/api/v1/concerts/{concert['id']}/open").status == 200
    held = hold(site.fan(), {**body, "userId": "bob"}, "k3")
    assert held.status == 201
    assert hold(site.fan(), body, "k3").code == "seat-held"
    cancelled = site.fan().call("DELETE", f"/api/v1/reservations/{held.json['reservationId']}",
                                headers={"X-User-Id": "bob"})
    assert cancelled.status == 200
    mine = hold(site.fan(), body, "k3")
    assert mine.status == 201 and "idempotent-replayed" not in mine.headers, mine


def test_a_payment_without_a_user_is_replayed_to_the_holder_of_the_reservation_id(site, sale):
    held = hold(site.fan(), sale.body, "k4", **{"X-Queue-Token": sale.token}).json
    path, body = f"/api/v1/reservations/{held['reservationId']}/payment", {"amount": held["amount"]}
    paid = site.fan().post(path, body, {"Idempotency-Key": "pay"})
    again = site.fan().post(path, body, {"Idempotency-Key": "pay"})
    assert (paid.status, again.json) == (200, paid.json) and again.headers["idempotent-replayed"] == "true"
    other = path.replace(held["reservationId"], "0" * len(held["reservationId"]))
    unknown = site.fan().post(other, body, {"Idempotency-Key": "pay"})
    assert unknown.code == "reservation-not-found", unknown


def test_operator_key_differs_from_fan_key_and_from_other_routes(site):
    body = harness.concert_body(seats=2)
    made = site.operator().post("/api/v1/concerts", body, {"Idempotency-Key": "k5"})
    assert made.status == 201
    refused = site.fan().post("/api/v1/concerts", body, {"Idempotency-Key": "k5"})
    assert refused.status == 401, refused
    more = site.operator().post(f"/api/v1/concerts/{made.json['id']}/schedules",
                                {"schedules": body["schedules"]}, {"Idempotency-Key": "k5"})
    assert more.status == 201 and "idempotent-replayed" not in more.headers
    again = site.operator().post("/api/v1/concerts", body, {"Idempotency-Key": "k5"})
    assert again.json == made.json and again.headers["idempotent-replayed"] == "true"


def test_concurrent_repeats_of_an_operator_s_request_make_one_concert(site):
    body, answers = harness.concert_body(seats=2, title="once"), []
    ready = threading.Barrier(8)

    def create():
        client = site.operator()
        ready.wait()
        answers.append(
            harness.until(lambda: (answer := client.post("/api/v1/concerts", body, {"Idempotency-Key": "k6"}))
                          .code != "idempotency-running" and answer))

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} == {201}
    assert len({answer.json["id"] for answer in answers}) == 1


def test_control_without_a_key_eight_repeats_make_eight_concerts(site):
    body = harness.concert_body(seats=2, title="eight times")
    made = [site.operator().post("/api/v1/concerts", body) for _ in range(8)]
    assert len({answer.json["id"] for answer in made}) == 8
