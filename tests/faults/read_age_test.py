"""Reads of a node whose MariaDB does not answer come from the last snapshot, and say how old it is."""
import contextlib

import back_ends
import harness
import pytest
import redis_server


def paths(concert):
    date = concert["schedules"][0]["id"]
    return [
        "/api/v1/concerts", "/api/v1/admin/concerts", f"/api/v1/concerts/{concert['id']}",
        f"/api/v1/schedules/{date}/seats", f"/api/v1/schedules/{date}/best?count=1",
        "/api/v1/rankings/soldout?window=all",
        "/api/v1/rankings/soldout/top", "/api/v1/rankings/progress", "/api/v1/concerts/rankings/soldout",
        "/concerts/ranking"
    ]


def ages(client, concert):
    """The headers Age of the reads; None where a read has none, -1 where it is refused."""
    answers = [client.get(path) for path in paths(concert)]
    return [int(answer.headers["age"]) if "age" in answer.headers else
            None if answer.status == 200 else -1 for answer in answers]


@pytest.mark.parametrize("outage", ["kill", "pause"])
def test_reads_without_the_database_have_an_age(tmp_path, outage):
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(tmp_path))
        database = back_ends.mariadb(tmp_path, parts)
        flags = ["--redis", redis.patient_url, "--mysql", database.url()]
        server = parts.enter_context(harness.Server(tmp_path / "data", *flags))
        client = server.admin()
        concert = harness.create_concert(client, seats=3)
        place = {"X-Queue-Token": harness.enter(client, concert["id"], "ann")}
        harness.buy(client, concert, 1, "ben")
        # Until the boards are complete, rankings are read from the database.
        harness.until(lambda: redis.cli("HGET", "ranking:state", "complete") == "1")
        harness.until(lambda: set(ages(client, concert)) == {None})

        database.kill() if outage == "kill" else database.pause()
        # A read that ran when the database went away may be refused.
        harness.until(lambda: min(age or -1 for age in ages(client, concert)) >= 4)
        assert max(ages(client, concert)) < 120
        assert "age" not in client.get("/api/v1/concerts/4711").headers
        room = f"/api/v1/rooms/{concert['id']}"
        assert "age" not in client.get(f"{room}/entries/me", **place).headers

        database.start() if outage == "kill" else database.resume()
        harness.until(lambda: set(ages(client, concert)) == {None})


def test_reads_of_the_embedded_store_have_no_age(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        concert = harness.create_concert(server.admin(), seats=3)
        assert set(ages(server.admin(), concert)) == {None}
