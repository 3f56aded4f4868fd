"""Malformed requests are refused with their own problem and change nothing."""
import json
import socket

import harness
import pytest


@pytest.fixture(scope="module")
def concert(server):
    return harness.create_concert(server.admin(), seats=3)


def assert_problem(answer, status, code):
    assert (answer.status, answer.code) == (status, code), answer
    assert set(answer.json) >= {"type", "title", "status", "code", "detail"}
    assert answer.json["status"] == status


def test_the_connection_survives_a_refusal(client, concert):
    assert client.call("POST", f"/api/v1/rooms/{concert['id']}/entries", "{").status == 400
    kept = client.connection
    assert kept is not None and kept.sock is not None
    assert client.get("/api/v1/concerts").status == 200
    assert client.connection is kept


@pytest.mark.parametrize("body", [
    "{", "[", "nul", '{"userId":}', '{"userId":"a"} x', "\"", '{"a":1,}', "\x00",
    '{"userId":"\xff"}'.encode("latin-1")
])
def test_body_that_is_not_json_is_invalid_json(client, concert, body):
    assert_problem(client.post(f"/api/v1/rooms/{concert['id']}/entries", body), 400, "invalid-json")


@pytest.mark.parametrize("depth", [17, 1000, 20000])
def test_json_that_is_too_deep_is_invalid_json(client, concert, depth):
    assert_problem(client.post(f"/api/v1/rooms/{concert['id']}/entries", "[" * depth + "]" * depth), 400,
                   "invalid-json")


@pytest.mark.parametrize("body, field", [({"userId": 7}, "userId"), ({"userId": ""}, "userId"),
                                         ({"userId": "x" * 129}, "userId"), ({"userId": "a\nb"}, "userId"),
                                         ({"userId": ["a"]}, "userId"), ({"userId": None}, "userId"),
                                         ({}, "userId"), ({"userId": "ann", "vip": True}, "vip")])
def test_a_join_names_the_field_that_is_wrong(client, concert, body, field):
    answer = client.post(f"/api/v1/rooms/{concert['id']}/entries", body)
    if body in ({}, {"userId": None}):  # no user is named
        return assert_problem(answer, 401, "unauthorized")
    assert_problem(answer, 400, "invalid-field")
    assert field in answer.text


def test_a_body_that_is_no_object_is_refused(client, concert):
    for body in ([], "text", 1, None):
        answer = client.post(f"/api/v1/rooms/{concert['id']}/entries", json.dumps(body))
        assert_problem(answer, 400, "invalid-field")


@pytest.mark.parametrize(
    "change, field", [({"title": ""}, "title"), ({"title": 1}, "title"), ({"price": -1}, "price"),
                      ({"price": "1"}, "price"), ({"price": 1.5}, "price"), ({"price": 10**30}, "price"),
                      ({"schedules": {}}, "schedules"),
                      ({"schedules": [{"concertDate": "2027-02-30", "seats": 1}]}, "concertDate"),
                      ({"schedules": [{"concertDate": "2027-02-03", "seats": 0}]}, "seats"),
                      ({"schedules": [{"concertDate": "2027-02-03", "seats": 10**6}]}, "seats"),
                      ({"schedules": [{"concertDate": "2027-02-03"}]}, "seats"),
                      ({"schedules": [{"concertDate": "2027-02-03", "seats": 1, "colour": "red"}]}, "colour"),
                      ({"bookingOpenAt": "tomorrow"}, "bookingOpenAt"), ({"room": "mine"}, "room"),
                      ({"holdSeconds": 0}, "holdSeconds"), ({"prize": 1}, "prize")])
def test_a_concert_names_the_field_that_is_wrong_and_is_not_created(admin, client, change, field):
    before = client.get("/api/v1/concerts").text
    answer = admin.post("/api/v1/concerts", {**harness.concert_body(), **change})
    assert_problem(answer, 400, "invalid-field")
    assert field in answer.text
    assert client.get("/api/v1/concerts").text == before


@pytest.mark.parametrize(
    "change",
    [{"seats": []}, {"seats": [0]}, {"seats": [-1]}, {"seats": ["1"]}, {"seats": [1.5]}, {"seats": [1, 1]},
     {"seats": 1}, {"scheduleId": "1"}, {"scheduleId": 0}, {"scheduleId": 10**20}, {"extra": 1}])
def test_a_hold_names_the_field_that_is_wrong_and_holds_nothing(client, concert, change):
    schedule = concert["schedules"][0]["id"]
    token = harness.enter(client, concert["id"], "ann")
    body = {"scheduleId": schedule, "seats": [1], "userId": "ann", **change}
    answer = client.post("/api/v1/reservations", body, {"X-Queue-Token": token})
    assert_problem(answer, 400, "invalid-field")
    seats = client.get(f"/api/v1/schedules/{schedule}/seats").json["seats"]
    assert {s["status"] for s in seats} == {"AVAILABLE"}


def test_a_body_that_is_too_large_is_refused(server, concert):
    client = server.client()
    answer = client.post(f"/api/v1/rooms/{concert['id']}/entries", json.dumps({"userId": "x" * 70_000}))
    assert_problem(answer, 413, "payload-too-large")
    assert server.client().get("/healthz").status == 200


def test_a_body_of_another_type_is_refused(client, concert):
    answer = client.post(f"/api/v1/rooms/{concert['id']}/entries", '{"userId":"ann"}',
                         {"Content-Type": "text/plain"})
    assert_problem(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize("method, path", [("PUT", "/api/v1/concerts"), ("DELETE", "/healthz"),
                                          ("GET", "/reservations"), ("PATCH", "/api/v1/rooms/main/enter")])
def test_wrong_method_is_405_with_allow(client, method, path):
    answer = client.call(method, path)
    assert_problem(answer, 405, "method-not-allowed")
    assert answer.headers["allow"]


@pytest.mark.parametrize("path",
                         ["/nowhere", "/api/v1/nowhere", "/api/v1/concerts/", "//", "/api/v2/concerts"])
def test_an_unknown_path_is_not_found(client, path):
    answer = client.get(path)
    assert_problem(answer, 404, "not-found")


@pytest.mark.parametrize("identifier", ["0", "-1", "abc", "1e3", "99999999999999999999", "1%2f2"])
def test_bad_number_in_a_path_is_not_found(client, identifier):
    assert_problem(client.get(f"/api/v1/concerts/{identifier}"), 404, "concert-not-found")
    assert client.get("/healthz").status == 200


def test_a_path_that_cannot_be_decoded_is_malformed(client):
    assert_problem(client.get("/api/v1/concerts/%00"), 400, "invalid-field")
    assert client.get("/healthz").status == 200


def raw(server, data):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(data)
        received = b""
        while piece := connection.recv(65536):
            received += piece
        return received


@pytest.mark.parametrize("data", [
    b"GARBAGE\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"POST /queue/token HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /queue/token HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n folded\r\n\r\n",
    b"GET /healthz HTTP/1.1\nHost: x\n\n",
])
def test_bytes_that_are_no_request_get_400_and_the_connection_ends(server, data):
    assert raw(server, data).startswith(b"HTTP/1.1 400 ")


def test_headers_that_are_too_large_are_refused(server):
    answer = raw(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 20_000 + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 431 ")


def test_head_answers_without_a_body(client):
    answer = client.call("HEAD", "/api/v1/concerts")
    assert (answer.status, answer.text) == (200, "")
    assert int(answer.headers["content-length"]) > 0


@pytest.mark.parametrize("path", ["rooms/nope", "rooms/main", "schedules/987654/seats", "rankings"])
def test_head_of_a_stream_has_the_status_of_get(client, path):
    path = f"/api/v1/{path}/stream"
    head = client.call("HEAD", path)
    assert (head.status, head.text) == (200 if "rankings" in path else client.get(path).status, "")


def test_pipelined_requests_are_answered_in_order(server):
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = raw(server, request * 3 + b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 ") == 3
    assert answer.rindex(b"HTTP/1.1 404 ") > answer.rindex(b"HTTP/1.1 200 ")
