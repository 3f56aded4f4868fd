"""At the connection limit, fans inside are served on reserved connections, by their queue token."""
import socket

import harness


def idle_connections(server, count):
    """Connections that were used once and are kept."""
    kept = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        connection.sendall(b"GET /api/v1/time HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        kept.append(connection)
    return kept


def ask(server, path, **headers):
    client = server.client(**headers)
    try:
        return client.get(path).status
    finally:
        client.close()


def test_fan_with_a_slot_is_served_when_a_crowd_has_all_other_connections(tmp_path):
    env = {"MAEJIN_HTTP_CONNECTIONS": "64", "MAEJIN_HTTP_RESERVED_CONNECTIONS": "16"}
    with harness.Server(tmp_path / "data", env=env) as server:
        client = server.client()
        concert = harness.create_concert(server.admin(), seats=3)
        room = concert["id"]
        assert server.admin().call("PUT", f"/api/v1/rooms/{room}", {"capacity": 1}).status == 200
        inside = harness.enter(client, room, "ann")
        outside = harness.join(client, room, "bob")["token"]
        client.close()
        crowd = idle_connections(server, 48)
        seats = f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats"
        harness.until(lambda: ask(server, seats) == 503)
        assert ask(server, seats, **{"X-Queue-Token": inside}) == 200
        assert ask(server, f"/api/v1/rooms/{room}/entries/me", **{"X-Queue-Token": inside}) == 200
        assert ask(server, seats, **{"X-Queue-Token": outside}) == 503, "a waiting fan has no slot"
        assert ask(server, seats, **{"X-Queue-Token": inside[:-2] + "AA"}) == 503, "a forged token"
        for connection in crowd:
            connection.close()
