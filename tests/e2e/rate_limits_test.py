"""A refusal by a known limit names it: RateLimit-Policy and RateLimit beside Retry-After."""
import contextlib
import re

import back_ends
import harness
import pytest

FAN = {"X-Forwarded-For": "203.0.113.9"}


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("maejin")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(
            harness.Server(folder / "data", "--http-trusted-proxies", "127.0.0.1",
                           "--http-connections-per-address", "2", *flags))


def limits(answer):
    assert answer.status == 429 and int(answer.headers["retry-after"]) > 0, answer
    return answer.headers["ratelimit-policy"], answer.headers["ratelimit"]


def assert_renews(answer, name, quota, window):
    policy, limit = limits(answer)
    assert policy == f'"{name}";q={quota};w={window}'
    assert re.fullmatch(rf'"{name}";r=0;t={answer.headers["retry-after"]}', limit), limit


def test_join_beyond_the_limit_of_its_address_names_the_quota(server):
    admin, client = server.admin(), server.client()
    room = f"/api/v1/rooms/{harness.create_concert(admin)['id']}"
    assert admin.call("PUT", room, {"joinsPerAddressPerMinute": 3}).status == 200

    def join(user):
        return client.post(f"{room}/entries", {"userId": user}, FAN)

    first = [join(f"fan{n}") for n in range(3)]
    assert [answer.status for answer in first] == [201] * 3
    assert "ratelimit" not in first[0].headers
    refused = join("fan3")
    assert_renews(refused, "joins", 3, 60)
    assert 21 <= int(refused.headers["retry-after"]) <= 42


def test_seats_beyond_the_cap_name_the_rest_of_the_quota(server):
    admin, client = server.admin(), server.client()
    concert = harness.create_concert(admin, seats=9, maxSeatsPerUser=3)
    token = harness.enter(client, concert["id"], "ann")
    date = concert["schedules"][0]["id"]
    assert harness.hold(client, date, [1, 2], "ann", token).status == 201
    refused = harness.hold(client, date, [3, 4], "ann", token)
    assert limits(refused) == ('"seats";q=3', '"seats";r=1')


def test_wrong_admin_keys_name_the_quota(server):
    client = server.client()

    def guess(number):
        key = {"Authorization": f"Bearer wrong-{number}", "X-Forwarded-For": "203.0.113.77"}
        return client.get("/api/v1/admin/system", **key)

    answers = [guess(number) for number in range(21)]
    assert [answer.status for answer in answers[:20]] == [401] * 20
    assert_renews(answers[20], "admin-keys", 20, 60)


def test_gate_does_not_count_for_the_address_of_the_visitor(server):
    client = server.client()
    streams = [harness.Listener(server, "/api/v1/rankings/stream", **FAN) for _ in range(2)]
    refused = client.get("/api/v1/concerts/rankings/soldout?topN=7", **FAN)
    while refused.status == 200:  # inline answers are not counted
        refused = client.post("/api/v1/rooms/main/entries", {"userId": "ann"}, FAN)
    assert limits(refused) == ('"connections";q=2', '"connections";r=0')
    for method in ("GET", "POST"):
        assert client.call(method, "/gate?room=main", headers=FAN).status == 401
    for stream in streams:
        stream.close()
