"""The real binary on a real Redis: nodes share rooms and boards, also over an outage of Redis."""
import concurrent.futures

import harness
import pytest
import redis_server


@pytest.fixture
def redis(tmp_path):
    with redis_server.Redis(tmp_path) as server:
        yield server


def node(tmp_path, redis, name, url=None):
    """A node with its own data folder and shared signing keys."""
    return harness.Server(tmp_path / name, "--redis", url or redis.patient_url, "--keys", tmp_path / "keys")


def join(client, room, user):
    return client.post(f"/api/v1/rooms/{room}/entries", {"userId": user})


def poll(client, room, token):
    return client.call("GET", f"/api/v1/rooms/{room}/entries/me", headers={"X-Queue-Token": token})


def enter(client, room, token):
    return client.call("POST", f"/api/v1/rooms/{room}/enter", headers={"X-Queue-Token": token})


def test_nodes_share_one_line_and_its_tokens(tmp_path, redis):
    with node(tmp_path, redis, "a") as a, node(tmp_path, redis, "b") as b:
        settings = {"capacity": 1, "admission": "claim"}
        assert a.admin().call("PUT", "/api/v1/rooms/main", settings).status == 200
        first, second = join(a.client(), "main", "ann"), join(b.client(), "main", "bob")
        assert (first.json["rank"], second.json["rank"]) == (0, 1)
        assert join(b.client(), "main", "ann").json["token"] == first.json["token"]
        assert enter(b.client(), "main", second.json["token"]).code == "not-your-turn"
        assert enter(b.client(), "main", first.json["token"]).status == 200
        assert poll(a.client(), "main", first.json["token"]).json["status"] == "entered"
        assert b.client().get("/api/v1/rooms/main/serving").json["entered"] == 1
        harness.until(lambda: redis.cli("SMEMBERS", "queue:active") == first.json["token"])
        harness.until(lambda: redis.cli("ZRANGE", "queue:waiting", 0, -1) == second.json["token"])
        assert redis.cli("GET", "queue:user:ann") == first.json["token"]
        assert redis.cli("GET", "token:count:main") == "1"


def test_a_concert_sells_out_with_its_room_in_redis(tmp_path, redis):
    with node(tmp_path, redis, "a") as server:
        admin, client = server.admin(), server.client()
        concert = harness.create_concert(admin, seats=2)
        room, schedule = str(concert["id"]), concert["schedules"][0]["id"]
        for number, user in enumerate(["ann", "bob"], start=1):
            token = join(client, room, user).json["token"]
            assert enter(client, room, token).status == 200
            assert redis.cli("EXISTS", f"token:{room}:{user}") == "1"
            held = client.call("POST", "/api/v1/reservations",
                               {"scheduleId": schedule, "seats": [number], "userId": user},
                               headers={"X-Queue-Token": token})
            assert held.status == 201, held
            paid = client.call("POST", f"/api/v1/reservations/{held.json['reservationId']}/payment",
                               {"amount": held.json["amount"]}, headers={"X-User-Id": user})
            assert paid.status == 200, paid
            # The payment releases the slot in Redis.
            assert redis.cli("GET", f"token:count:{room}") == "0"
        assert paid.json["concertSoldOut"] is True
        harness.until(lambda: redis.cli("GET", f"seat:count:{room}") == "0")


def sell_out(server):
    concert = harness.create_concert(server.admin(), seats=1)
    harness.buy(server.client(), concert, 1, "ann")
    return concert["id"]


def on_the_board(redis, key="concertSoldOutRank"):
    return sorted(redis.cli("ZRANGE", key, 0, -1).split())


def test_sold_out_concert_is_on_the_boards_in_redis(tmp_path, redis):
    every = "concert:soldout:ranking:all"
    with node(tmp_path, redis, "a") as server:
        sold_out = [str(sell_out(server)), str(sell_out(server))]
        harness.until(lambda: on_the_board(redis) == on_the_board(redis, every) == sold_out)
        server.kill()
    # As if the second event had not been relayed before the exit.
    redis.cli("ZREM", every, sold_out[1])
    with node(tmp_path, redis, "a") as server:
        harness.until(lambda: on_the_board(redis, every) == sold_out)
        listed = server.client().get("/api/v1/rankings/soldout?window=all").json["entries"]
        assert sorted(str(entry["concertId"]) for entry in listed) == sold_out


def test_boards_in_redis_belong_to_one_database(tmp_path, redis):
    with node(tmp_path, redis, "a") as seller, node(tmp_path, redis, "b") as other:
        first = sell_out(seller)
        harness.until(lambda: on_the_board(redis) == [str(first)])
        assert other.admin().post("/api/v1/admin/rankings/rebuild").status == 200
        assert on_the_board(redis) == [str(first)]
        assert other.client().get("/api/v1/rankings/soldout?window=all").json["entries"] == []


def test_seat_locked_by_another_program_is_refused_and_free_afterwards(tmp_path, redis):
    with node(tmp_path, redis, "a") as server:
        concert = harness.create_concert(server.admin(), seats=2)
        room, schedule, client = str(concert["id"]), concert["schedules"][0]["id"], server.client()
        token = join(client, room, "ann").json["token"]
        assert enter(client, room, token).status == 200
        lock = f"lock:seat:{room}:{schedule}-1"
        redis.cli("HSET", lock, "java:1", 1)
        redis.cli("PEXPIRE", lock, 60_000)

        def hold():
            return client.call("POST", "/api/v1/reservations",
                               {"scheduleId": schedule, "seats": [1], "userId": "ann"},
                               headers={"X-Queue-Token": token})

        assert hold().code == "seat-held"
        redis.cli("DEL", lock)
        assert hold().status == 201
        harness.until(lambda: redis.cli("EXISTS", lock) == "0")


def test_a_listener_hears_of_its_position_its_turn_and_its_end(tmp_path, redis):
    with node(tmp_path, redis, "a") as server:
        client = server.client()
        assert server.admin().call("PUT", "/api/v1/rooms/main",
                                   {"capacity": 1, "admission": "claim"}).status == 200
        ann, bob = (join(client, "main", user).json["token"] for user in ("ann", "bob"))
        assert enter(client, "main", ann).status == 200
        listener = harness.Listener(server, f"/api/v1/rooms/main/stream?token={bob}")
        assert listener.head[0].startswith("HTTP/1.1 200")
        event, _, data = listener.next()
        assert (event, data["rank"], data["token"]) == ("position", 0, bob)
        for leaver, told in ((ann, "turn"), (bob, "gone")):
            client.call("DELETE", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": leaver})
            assert listener.next()[0] == told
        listener.close()


def test_used_token_and_taken_slot_survive_a_loss(tmp_path, redis):
    with node(tmp_path, redis, "a") as server:
        client = server.client()
        assert server.admin().call("PUT", "/api/v1/rooms/main",
                                   {"capacity": 1, "admission": "claim"}).status == 200
        ann, bob, cat = (join(client, "main", user).json["token"] for user in ("ann", "bob", "cat"))
        assert enter(client, "main", ann).status == 200
        assert client.call("DELETE", "/api/v1/rooms/main/entries/me",
                           headers={"X-Queue-Token": ann}).status == 204
        assert enter(client, "main", bob).status == 200
        harness.until(lambda: redis.cli("LLEN", "room:main:log") == "0")
        redis.cli("FLUSHALL")
        assert poll(client, "main", ann).status == 404
        assert poll(client, "main", bob).json["status"] == "entered"
        assert enter(client, "main", cat).code == "not-your-turn"


def test_a_hundred_threads_never_exceed_the_capacity(tmp_path, redis):
    with node(tmp_path, redis, "a") as a, node(tmp_path, redis, "b") as b:
        assert a.admin().call("PUT", "/api/v1/rooms/main",
                              {"capacity": 7, "admission": "claim"}).status == 200

        def fan(i):
            client = (a if i % 2 else b).client()
            token = join(client, "main", f"fan{i}").json["token"]
            return enter(client, "main", token).status

        with concurrent.futures.ThreadPoolExecutor(20) as threads:
            statuses = list(threads.map(fan, range(100)))
        assert statuses.count(200) == 7 and set(statuses) == {200, 409}
        assert redis.cli("ZCARD", "room:main:slots") == "7"


def test_places_are_restored_after_redis_restarted_empty(tmp_path, redis):
    with node(tmp_path, redis, "a", redis.url) as server:
        client = server.client()
        assert server.admin().call("PUT", "/api/v1/rooms/main",
                                   {"capacity": 0, "admission": "claim"}).status == 200

        def joined(user):
            answer = join(client, "main", user)
            return answer.status in (200, 201) and answer.json["token"]

        tokens = [harness.until(lambda user=f"fan{i}": joined(user)) for i in range(20)]
        redis.kill()
        away = poll(client, "main", tokens[4])
        assert (away.status, away.json["rank"], away.json["status"]) == (200, 4, "waiting")
        assert join(client, "main", "late").status == 503
        redis.start()
        harness.until(lambda: server.client().get("/readyz").status == 200)
        late = harness.until(lambda: (answer := join(client, "main", "late")).status == 201 and answer)
        for i in reversed(range(20)):
            assert poll(client, "main", tokens[i]).status == 200
        harness.until(
            lambda: [poll(client, "main", token).json["rank"] for token in tokens] == list(range(20)))
        assert poll(client, "main", late.json["token"]).json["rank"] == 20


def test_redis_with_eviction_policy_is_refused(tmp_path):
    with redis_server.Redis(tmp_path, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru") as redis:
        code, _, err = harness.run("serve", "--data", tmp_path / "d", "--listen", "127.0.0.1:0", "--redis",
                                   redis.url)
        assert code != 0 and "noeviction" in err
        code, out, _ = harness.run("doctor", "--data", tmp_path / "d", "--redis", redis.url)
        assert code == 1 and "noeviction" in out


def test_doctor_checks_redis(tmp_path, redis):
    code, out, _ = harness.run("doctor", "--data", tmp_path / "d", "--redis", redis.url)
    assert code == 0, out
    for words in ("connected", "version", "evicts nothing", "may run scripts", "its clock is"):
        assert words in out
    code, out, _ = harness.run("doctor", "--data", tmp_path / "d", "--redis", "redis://127.0.0.1:1")
    assert code == 1 and "bad" in out
