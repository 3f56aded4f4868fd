"""While MariaDB does not answer, fans in line keep their places and no new fan joins, in claim and push
rooms."""
import contextlib

import back_ends
import harness
import pytest
import redis_server


@pytest.mark.parametrize("admission", ["claim", "push"])
def test_joins_pause_while_the_database_is_away_and_places_stay(tmp_path, admission):
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(tmp_path))
        database = back_ends.mariadb(tmp_path, parts)
        flags = ["--redis", redis.patient_url, "--mysql", database.url()]
        server = parts.enter_context(harness.Server(tmp_path / "data", *flags))
        client, path = server.client(), "/api/v1/rooms/shop"
        room = {"id": "shop", "visitors": "users", "admission": admission, "capacity": 0}
        assert server.admin().post("/api/v1/rooms", room).status == 201
        place = harness.join(client, "shop", "ann")
        fans = (f"fan-{number}" for number in range(1_000_000))

        def try_to_join():
            return client.post(path + "/entries", {"userId": next(fans)})

        database.kill()
        refused = harness.until(lambda: (answer := try_to_join()).status != 201 and answer)
        assert (refused.status, refused.code) == (503, "unavailable")
        assert int(refused.headers["retry-after"]) > 0
        again = harness.until(lambda: (answer := client.post(path + "/entries", {"userId": "ann"})).status ==
                              200 and answer)
        assert again.json["number"] == place["number"]
        polled = client.get(path + "/entries/me", **{"X-Queue-Token": place["token"]})
        assert (polled.status, polled.json["rank"]) == (200, 0)

        database.start()
        harness.until(lambda: try_to_join().status == 201)
