"""Every key in a real Redis after a small sale is documented in docs/redis-keys.md."""
import re

import harness
import pytest
import redis_server


@pytest.fixture(params=[redis_server.Redis, redis_server.Cluster], ids=["one server", "cluster"])
def redis(tmp_path, request):
    with request.param(tmp_path) as server:
        yield server


def sale(server):
    """A concert sells out through its room. In another room and in `main` a fan is inside, and one waits."""
    admin, client = server.admin(), server.client()
    sold_out, concert = harness.create_concert(admin, seats=2), harness.create_concert(admin, seats=2)
    for seat in (1, 2):
        harness.buy(client, sold_out, seat, "ann")
    for room, users in ((concert["id"], ("bob", "cat")), ("main", ("dan", "eve"))):
        assert admin.call("PUT", f"/api/v1/rooms/{room}", {"capacity": 1, "admission": "claim"}).status == 200
        inside, _ = [
            client.post(f"/api/v1/rooms/{room}/entries", {"userId": user}).json["token"] for user in users
        ]
        assert client.call("POST", f"/api/v1/rooms/{room}/enter",
                           headers={"X-Queue-Token": inside}).status == 200
    return str(concert["id"])


def keys_of(redis):
    servers = getattr(redis, "primaries", [redis])
    return {key for server in servers for key in server.cli("KEYS", "*").splitlines() if key}


def pattern_of(name):
    """`room:42:log` → any room's; `…:weekly:2025-W44` → any week's."""
    name = re.escape(name).replace("…", ".+").replace("42", r"(\d+|main)", 1)
    name = re.sub(r"<\w+>", ".+", name.replace("minji", r"\w+"))
    return re.compile(re.sub(r"(?<!\\)\d+", r"\\d+", name))


def names_on_the_page():
    page = (harness.ROOT / "docs/redis-keys.md").read_text(encoding="utf-8")
    return [
        pattern_of(name) for name in re.findall(r"`([a-z…]+:[^`|]*|[a-zA-Z]+)`",
                                                page.split("## In a cluster")[0])
    ]


def without_tags(key):
    """Key names of a cluster as the page describes them: with hash tags."""
    if key.startswith("{ranking}:"):
        return key.removeprefix("{ranking}:")
    if key.startswith(("lock:", "fence:")) or key == "rooms":
        return key
    tagged = re.fullmatch(r"(.*)\{([^{}]+)\}(.*)", key)
    assert tagged, f"{key} has no tag"
    before, tag, after = tagged.groups()
    return before + ("main" if tag == "queue" and before else tag) + after


def test_every_redis_key_is_documented(tmp_path, redis):
    known = names_on_the_page()
    assert len(known) > 30
    with harness.Server(tmp_path / "node", "--redis", redis.patient_url) as server:
        room = sale(server)
        wanted = {
            f"queue:{room}", f"room:{room}:slots", f"token:{room}:bob", "queue:waiting", "queue:active",
            "queue:user:dan", "room:main:slots", "concertSoldOutRank", "ranking:state"
        }
        clustered = hasattr(redis, "primaries")

        def plain():
            return {without_tags(key) if clustered else key for key in keys_of(redis)}

        harness.until(lambda: wanted <= plain())
        nameless = {key for key in plain() if not any(pattern.fullmatch(key) for pattern in known)}
        assert not nameless, sorted(nameless)
