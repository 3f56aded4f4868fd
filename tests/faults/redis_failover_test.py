"""Failover of Redis while fans join, enter and leave: by sentinels or by a cluster, after the primary died,
hung, or was partitioned in network namespaces. By a client-side ledger, changes that only the old primary
acknowledged must hold too."""
import contextlib
import time

import harness
import network
import redis_crowd
import redis_server
import cluster  # in deploy/, where harness.py looks

LEAVE = "L"  # the word of a leave among the arguments of its script


@contextlib.contextmanager
def crowd_on(folder, redis, *hosts, database=(), binary=harness.BINARY, **how):
    """A node on each host, and fans on all of them."""
    with contextlib.ExitStack() as stack:
        nodes = []
        for number, host in enumerate(hosts):
            with host.entered():
                nodes.append((host,
                              stack.enter_context(
                                  harness.Server(folder / f"node{number}", "--redis", redis.url, *database,
                                                 binary=binary))))
        yield stack.enter_context(redis_crowd.Crowd(redis, nodes, **how))


def test_primary_killed_loses_no_place(tmp_path):
    with redis_server.Sentinels(tmp_path) as redis, crowd_on(tmp_path, redis, redis_server.HERE) as crowd:
        redis.primary.kill()
        redis.await_failover()
        crowd.healed()
        crowd.judge()


def test_primary_that_hangs_and_returns_loses_no_place(tmp_path):
    with redis_server.Sentinels(tmp_path) as redis, crowd_on(tmp_path, redis, redis_server.HERE) as crowd:
        redis.primary.pause()
        redis.await_failover()
        redis.primary.resume()
        crowd.healed()
        redis.await_demotion()
        crowd.entries(50)
        crowd.judge()


def test_primary_cut_off_loses_no_place(tmp_path):
    with network.Network(3) as net:
        primary, others, node = net.hosts
        with redis_server.Sentinels(tmp_path, primary, others,
                                    others) as redis, crowd_on(tmp_path, redis, node) as crowd:
            net.cut_off(primary)
            redis.await_failover()
            crowd.healed()
            net.heal()
            redis.await_demotion()
            crowd.healed()
            crowd.judge()


@contextlib.contextmanager
def cut_off_with_the_old_primary(folder, **how):
    """Changes that the old primary acknowledges from now on are missing on the new one."""
    with network.Network(3) as net:
        primary, others, node = net.hosts
        with redis_server.Sentinels(folder, primary, others,
                                    others) as redis, crowd_on(folder, redis, node, **how) as crowd:
            net.cut_off(primary, node)
            redis.await_failover()
            crowd.entries(50)
            net.heal()
            redis.await_demotion()
            crowd.healed()
            yield crowd


def test_node_cut_off_with_the_old_primary_loses_no_place(tmp_path):
    with cut_off_with_the_old_primary(tmp_path) as crowd:
        crowd.judge()


def test_control_failover_without_token_recovery_loses_places(tmp_path):
    """The failover is detected, but no place is restored from its token."""
    with cut_off_with_the_old_primary(tmp_path, binary=redis_crowd.deaf_binary(tmp_path)) as crowd:
        crowd.judge_finds_lost_places("fan")


def outlives_a_late_leave(net, fan, user, commands):
    """False: the leave arrived before its fan's next requests, and the case did not occur."""
    place = harness.until(lambda: fan.join_room("main", user))
    harness.until(lambda: fan.call("POST", "main", "enter", token=place["token"]).status == 200)
    net.cut_off(net.hosts[0])
    assert fan.call("DELETE", "main", "entries/me", token=place["token"]).status == 503
    time.sleep(2)  # the fault itself: the kernel retransmits less and less often
    net.heal()
    again = harness.until(lambda: fan.join_room("main", user))
    entered = fan.call("POST", "main", "enter", token=again["token"])
    if commands(user, LEAVE):
        return False
    assert (again["status"], again["number"], entered.status) == ("entered", place["number"], 200)
    harness.until(lambda: commands(user, LEAVE))
    assert fan.call("GET", "main", "entries/me", token=again["token"]).json["status"] == "entered"
    return True


def test_late_leave_after_a_partition_ends_no_newer_place(tmp_path):
    """The kernel retransmits bytes of a connection that the node has closed, while the fan sends new
    requests."""
    with network.Network(2) as net, \
            redis_server.Redis(tmp_path / "redis", host=net.hosts[0]) as redis, \
            redis.monitored() as commands, net.hosts[1].entered(), \
            harness.Server(tmp_path / "node", "--redis", redis.url) as server:
        fan = redis_crowd.Visitor(net.hosts[1], server, None, None)
        assert server.admin().call("PUT", "/api/v1/rooms/main", {"admission": "claim"}).status == 200
        other = fan.join_room("main", "suji")
        assert fan.call("DELETE", "main", "entries/me",
                        token=other["token"]).status == 204, "so that Redis knows the script"
        assert commands("suji", LEAVE)
        assert any(outlives_a_late_leave(net, fan, f"minji{attempt}", commands)
                   for attempt in range(12)), "every leave came too early: this shows nothing"


@contextlib.contextmanager
def two_sides(folder):
    """A node with the primary on one side, a node with the replica and the sentinels on the other; both reach
    the database."""
    database = cluster.MariaDb(folder).start()
    try:
        database.create_database()
        flags = ("--mysql", database.url(parameters=f"?socket={database.folder}/mariadb.sock"))
        with network.Network(4) as net:
            primary, others, near, far = net.hosts
            with redis_server.Sentinels(folder, primary, others, others) as redis, \
                    crowd_on(folder, redis, near, far, database=flags, moment=0.2,
                             tokenTtlSeconds=6) as crowd:
                yield redis, crowd, database, net, (primary, far)
    finally:
        database.kill()


def test_both_sides_of_a_partition_never_exceed_the_capacity(tmp_path):
    with two_sides(tmp_path) as (redis, crowd, _, net, one_side):
        net.cut_off(*one_side)
        redis.await_failover()
        crowd.healed()
        # The slots of the other side's fans have expired here, so all are free for this side.
        harness.until(lambda: all(
            int(user[3:]) % 2 == 0 for user in redis.replica.cli("ZRANGE", "room:main:slots", 0, -1).split()))
        crowd.entries(50)
        net.heal()
        redis.await_demotion()
        crowd.healed()
        crowd.judge()


def test_control_without_database_epochs_both_sides_exceed_the_capacity(tmp_path):
    """The database does not refuse admissions of the old epoch."""
    with two_sides(tmp_path) as (redis, crowd, database, net, one_side):
        harness.until(lambda: database.number("SELECT COUNT(*) FROM shared_rooms WHERE room = 'main'"))
        database.sql(
            "CREATE TRIGGER forget BEFORE UPDATE ON shared_rooms FOR EACH ROW SET NEW.epoch = OLD.epoch")
        net.cut_off(*one_side)
        redis.await_failover()
        harness.until(lambda: crowd.ledger.most_inside > redis_crowd.CAPACITY)


def test_cluster_primary_killed_loses_no_place(tmp_path):
    with redis_server.Cluster(tmp_path) as redis, crowd_on(tmp_path, redis, redis_server.HERE) as crowd:
        primary, replica = redis.owner("{queue}")
        primary.kill()
        harness.until(lambda: replica.is_primary, redis_server.FAILOVER_S)
        crowd.healed()
        crowd.judge()
