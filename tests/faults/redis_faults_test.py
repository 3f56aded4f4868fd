"""A node on one Redis that hangs, dies and restarts while fans join, enter and leave, checked by a
client-side ledger."""
import contextlib
import time

import back_ends
import harness
import pytest
import redis_crowd
import redis_server

# Deletes all keys except the room's hash; ARGV[1] is the new run id of the room.
FORGET = """local room = redis.call('HGETALL', 'room:main')
redis.call('FLUSHALL')
local added = redis.call('HSET', 'room:main', unpack(room))
return added + (ARGV[1] and redis.call('HSET', 'room:main', 'server', ARGV[1]) or 0)"""


@contextlib.contextmanager
def crowd_on(folder, redis, binary=harness.BINARY):
    with harness.Server(folder / "node", "--redis", redis.url,
                        binary=binary) as server, redis_crowd.Crowd(redis, [(redis.host, server)]) as crowd:
        yield crowd


def test_redis_hang_of_ten_seconds_loses_no_place(tmp_path):
    with redis_server.Redis(tmp_path / "redis") as redis, crowd_on(tmp_path, redis) as crowd:
        redis.pause()
        time.sleep(10)  # the fault itself
        redis.resume()
        crowd.healed()
        crowd.judge()


@pytest.mark.parametrize("options", [(), ("--appendonly", "yes", "--appendfsync", "always")],
                         ids=["empty", "with data"])
def test_redis_killed_and_restarted_loses_no_place(tmp_path, options):
    with redis_server.Redis(tmp_path / "redis", *options) as redis, crowd_on(tmp_path, redis) as crowd:
        redis.kill()
        redis.start()
        crowd.healed()
        crowd.judge()


def test_control_empty_restart_without_token_recovery_loses_places(tmp_path):
    """The loss is detected, but no place is restored from its token."""
    with redis_server.Redis(tmp_path / "redis") as redis, crowd_on(
            tmp_path, redis, redis_crowd.deaf_binary(tmp_path)) as crowd:
        redis.kill()
        redis.start()
        crowd.healed()
        crowd.judge_finds_lost_places("fan", "waiter")


def test_visitor_without_a_user_is_not_refused_while_its_room_cannot_be_read(tmp_path):
    """The room may be anonymous: the node has not read it yet."""
    with redis_server.Redis(tmp_path / "redis") as redis, \
            harness.Server(tmp_path / "node", "--redis", redis.url) as server:
        redis.kill()
        for path in ("entries", "enter"):
            answer = server.client().post(f"/api/v1/rooms/shop/{path}", {})
            assert (answer.status, answer.code) == (503, "unavailable")


def test_room_of_another_run_id_is_recovered_from_tokens(tmp_path):
    with redis_server.Redis(tmp_path / "redis") as redis, crowd_on(tmp_path, redis) as crowd:
        redis.cli("EVAL", FORGET, 0, "another")
        crowd.healed()
        crowd.judge()


def test_control_undetected_loss_fails_the_audit(tmp_path):
    """The room's run id matches, so the loss is not detected and no place is restored."""
    with redis_server.Redis(tmp_path / "redis") as redis, crowd_on(tmp_path, redis) as crowd:
        redis.cli("EVAL", FORGET, 0)
        harness.until(lambda: any(user.startswith("fan") for user, *_ in crowd.ledger.lost))
        crowd.finish()


def test_redis_restarted_with_older_data_keeps_acknowledged_changes_of_rooms(tmp_path):
    """Acknowledged after the snapshot: a capacity, a closed sale, an opened sale, the order of a draw."""
    with redis_server.Redis(tmp_path / "redis") as redis, \
            harness.Server(tmp_path / "node", "--redis", redis.patient_url) as server:
        client = harness.RetryingClient(server.port)
        admin = harness.RetryingClient(server.port, {"Authorization": f"Bearer {server.admin_key}"})

        def room(name):
            found = admin.get(f"/api/v1/rooms/{name}")
            return (found.json["state"], found.json["capacity"]) if found.status == 200 else None

        def change(name, **fields):
            assert admin.call("PUT", f"/api/v1/rooms/{name}", fields).status == 200

        def ranks():
            return [client.get("/api/v1/rooms/shop/entries/me", **{"X-Queue-Token": token}).json["rank"]
                    for token in tokens]

        closed = harness.create_concert(admin, room="own")["id"]
        opened = harness.create_concert(admin, opened=False, room="own")["id"]
        harness.until(lambda: room(closed) and room(closed)[0] == "open")
        harness.until(lambda: room(opened) and room(opened)[0] == "scheduled")
        change("main", capacity=500)
        assert admin.post("/api/v1/rooms", {"id": "shop", "returnUrls": ["https://shop.example/"],
                                            "visitors": "users"}).status == 201
        for state in ("closed", "scheduled", "pre-queue"):
            change("shop", capacity=0, state=state)
        tokens = [harness.join(client, "shop", f"fan{i}")["token"] for i in range(8)]
        redis.cli("SAVE")
        change("main", capacity=7)
        change("shop", state="open")
        assert admin.post(f"/api/v1/concerts/{closed}/close").status == 200
        assert admin.post(f"/api/v1/concerts/{opened}/open").status == 200
        harness.until(lambda: room(closed)[0] == "closed" and room(opened)[0] == "open")
        told, draw = ranks(), client.get("/api/v1/rooms/shop/shuffle").json
        assert sorted(told) == list(range(8))
        redis.kill()
        redis.start()
        for name, wanted in (("main", "open"), (closed, "closed"), (opened, "open"), ("shop", "open")):
            assert harness.until(lambda name=name: room(name))[0] == wanted, name
        assert room("main") == ("open", 7)
        harness.until(lambda: None not in ranks())
        assert ranks() == told
        assert client.get("/api/v1/rooms/shop/shuffle").json == draw, "no second draw"


def test_list_of_rooms_is_refused_while_redis_is_down(tmp_path):
    with redis_server.Redis(tmp_path / "redis", "--appendonly", "yes") as redis, \
            harness.Server(tmp_path / "node", "--redis", redis.url) as server:
        admin, path = server.admin(), "/api/v1/rooms"
        assert admin.post(path, {"id": "shop"}).status == 201
        names = lambda: [room["id"] for room in admin.get(path).json["rooms"]]
        assert names() == ["main", "shop"]
        redis.kill()
        refused = harness.until(lambda: (answer := admin.get(path)).status != 200 and answer)
        assert (refused.status, refused.code) == (503, "unavailable"), "not an empty list"
        redis.start()
        harness.until(lambda: admin.get(path).status == 200)
        assert names() == ["main", "shop"]


@pytest.mark.parametrize("back_end", ["redis", "mariadb"])
def test_readyz_is_503_while_redis_refuses_writes_for_lack_of_memory(tmp_path, back_end):
    with redis_server.Redis(tmp_path / "redis") as redis, contextlib.ExitStack() as parts:
        flags = back_ends.database(tmp_path, parts) if back_end == "mariadb" else []
        server = parts.enter_context(harness.Server(tmp_path / "node", "--redis", redis.patient_url, *flags))
        client = server.client()
        harness.until(lambda: client.get("/readyz").status == 200)
        redis.cli("CONFIG", "SET", "maxmemory", "1")
        refused = harness.until(lambda: (told := client.get("/readyz")).status == 503 and told)
        assert refused.json["checks"]["redis"] is False
        harness.until(lambda: "redis: refuses writes: OOM" in server.log_path.read_text(encoding="utf-8"))
        redis.cli("CONFIG", "SET", "maxmemory", "0")
        harness.until(lambda: client.get("/readyz").status == 200)
        assert redis.cli("EXISTS", "maejin:write-check").strip() == "0", "the check leaves no key behind"
