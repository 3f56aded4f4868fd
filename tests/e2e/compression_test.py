"""Answers in brotli and gzip: the same bytes as without, made once for all readers, revalidated by ETag."""
import gzip
import subprocess

import harness
import pytest
import redis_server

SEATS = 3000


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("coded") / "data", "--threads", "1") as running:
        admin = running.admin()
        concert = harness.create_concert(admin, seats=SEATS, room="none")
        running.schedule = concert["schedules"][0]["id"]
        rows = [{
            "title": f"Concert {n}", "artist": "A", "venue": "V", "bookingOpenAt": "2026-03-01T11:00:00.000Z",
            "soldOutAt": f"2026-03-01T11:{n:02}:00.000Z",
            "schedules": [{"concertDate": "2026-04-01", "seats": 50}]
        } for n in range(1, 50)]
        assert admin.post("/api/v1/admin/soldouts", rows).json["imported"] == 49
        yield running


def paths(server):
    seats = f"/api/v1/schedules/{server.schedule}/seats"
    return {"openapi": "/openapi.yaml", "board": "/api/v1/rankings/soldout?window=all&topN=100",
            "seats": seats, "compact seats": seats + "?form=compact", "page": "/rankings"}


NAMES = ["openapi", "board", "seats", "compact seats", "page"]


def raw(server, path, *words):
    """(headers, body) as sent."""
    done = subprocess.run(["curl", "-s", "-i", *words, f"http://127.0.0.1:{server.port}{path}"],
                          capture_output=True, check=True)
    head, body = done.stdout.split(b"\r\n\r\n", 1)
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:]]
    return {name.lower(): value for name, value in lines} | {"status": int(head.split()[1])}, body


@pytest.mark.parametrize("name", NAMES)
def test_coded_answer_has_the_same_text(server, name):
    path = paths(server)[name]
    plain, text = raw(server, path)
    assert "content-encoding" not in plain and len(text) > 1400
    assert "Accept-Encoding" in plain["vary"]
    zipped, body = raw(server, path, "-H", "Accept-Encoding: gzip")
    assert zipped["content-encoding"] == "gzip" and gzip.decompress(body) == text
    assert int(zipped["content-length"]) == len(body) < len(text) / 2
    coded, body = raw(server, path, "-H", "Accept-Encoding: gzip, br")
    assert coded["content-encoding"] == "br" and len(body) < len(text) / 2
    _, unpacked = raw(server, path, "--compressed")
    assert unpacked == text
    refused, _ = raw(server, path, "-H", "Accept-Encoding: br;q=0, gzip;q=0")
    assert "content-encoding" not in refused
    head, _ = raw(server, path, "-I", "-H", "Accept-Encoding: br")
    assert head["content-encoding"] == "br"


@pytest.mark.parametrize("name", NAMES)
def test_coded_answer_is_revalidated(server, name):
    path = paths(server)[name]
    for coding in ("identity", "gzip", "br"):
        answer, _ = raw(server, path, "-H", f"Accept-Encoding: {coding}")
        assert answer["etag"].startswith("W/") == (coding != "identity")
        same, body = raw(server, path, "-H", f"Accept-Encoding: {coding}", "-H",
                         f"If-None-Match: {answer['etag']}")
        assert (same["status"], body) == (304, b"")


@pytest.mark.parametrize("name", ["openapi", "board", "seats", "compact seats"])
def test_text_is_compressed_once_for_all_readers_of_a_version(server, name):
    path = paths(server)[name]
    raw(server, path, "-H", "Accept-Encoding: br")
    before = harness.metric(server.client(), "maejin_http_compressions_total")
    bodies = {raw(server, path, "-H", "Accept-Encoding: br")[1] for _ in range(20)}
    assert len(bodies) == 1
    assert harness.metric(server.client(), "maejin_http_compressions_total") == before
    if "seats" in name:
        held = server.client().post("/api/v1/reservations", {
            "scheduleId": server.schedule, "best": 1, "userId": f"fan of {name}"})
        assert held.status == 201, held
        assert raw(server, path, "-H", "Accept-Encoding: br")[1] not in bodies, "the next version"
        assert harness.metric(server.client(), "maejin_http_compressions_total") == before + 1


def test_small_answers_are_not_compressed(server):
    small, _ = raw(server, "/api/v1/rankings/soldout?window=all&topN=1", "-H", "Accept-Encoding: br")
    assert "content-encoding" not in small
    poll, _ = raw(server, "/api/v1/time", "-H", "Accept-Encoding: br")
    assert "content-encoding" not in poll


def test_boards_and_serving_numbers_on_redis_are_tagged_and_coded_as_well(tmp_path):
    with redis_server.Redis(tmp_path / "redis") as redis, harness.Server(tmp_path / "data", "--redis",
                                                                         redis.patient_url) as server:
        rows = [{
            "title": f"Concert {n}", "artist": "A", "venue": "V", "bookingOpenAt": "2026-03-01T11:00:00.000Z",
            "soldOutAt": f"2026-03-01T11:{n:02}:00.000Z",
            "schedules": [{"concertDate": "2026-04-01", "seats": 50}]
        } for n in range(1, 50)]
        assert server.admin().post("/api/v1/admin/soldouts", rows).json["imported"] == 49
        board = "/api/v1/rankings/soldout?window=all&topN=100"
        headers, text = harness.until(
            lambda: (found := raw(server, board))[1].count(b"Concert") == 49 and found)
        assert headers["vary"] == "Accept-Encoding, Accept-Language" and headers["etag"]
        zipped, body = raw(server, board, "-H", "Accept-Encoding: gzip")
        assert zipped["content-encoding"] == "gzip" and gzip.decompress(body) == text
        again, body = raw(server, board, "-H", f"If-None-Match: {headers['etag']}")
        assert (again["status"], body) == (304, b"")
        serving = server.client().get("/api/v1/rooms/main/serving")
        assert serving.status == 200 and serving.headers["etag"], serving
