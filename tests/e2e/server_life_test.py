"""How the server starts, who may share its folder, and how it ends."""
import os
import signal
import socket
import stat
import subprocess
import threading

import harness


def test_serve_prints_its_address_when_it_accepts_connections(server):
    assert server.line == f"maejin: listening on http://127.0.0.1:{server.port}\n"
    assert server.client().get("/healthz").status == 200
    ready = server.client().get("/readyz")
    assert (ready.status, ready.json["checks"]) == (200, {"journal": True})


def test_admin_key_is_random_long_and_mode_0600(server):
    assert len(server.admin_key) == 64
    assert stat.S_IMODE((server.data / "admin.key").stat().st_mode) == 0o600
    assert "admin.key" in server.log_path.read_text(), "the place of a new key is told"


def test_data_folder_and_its_files_are_private_to_the_owner(server):
    kept = [path for path in server.data.rglob("*") if path.suffix != ".new"]  # renamed at any moment
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (server.data, *kept)}
    assert {"keys", "pass-1.pem", "mac-1.key", "maejin.db", "maejin.db-wal", "maejin.db-shm", "maejin.lock"
            } <= set(modes)
    assert {name for name, mode in modes.items() if mode not in (0o600, 0o700)} == set()


def test_a_second_server_on_the_same_folder_is_refused(server):
    code, out, err = harness.run("serve", "--listen", "127.0.0.1:0", "--data", server.data)
    assert (code, out) == (1, "")
    assert f"a maejin server is running on the data folder {server.data} (pid {server.process.pid} " in err
    code, _, err = harness.run("data", "export", "-", "--data", server.data)
    assert code == 1 and err.endswith("); stop it first\n")
    assert server.client().get("/healthz").status == 200


def test_port_in_use_is_refused_with_a_message(server, tmp_path):
    code, out, err = harness.run("serve", "--listen", f"127.0.0.1:{server.port}", "--data",
                                 tmp_path / "other")
    assert (code, out) == (1, "")
    assert f"cannot listen on 127.0.0.1:{server.port}: another program uses this port. Stop it, or give " \
           "another --listen (port 0 chooses a free one)\n" in err
    code, _, err = harness.run("serve", "--listen", "127.0.0.1:0", "--admin-listen",
                               f"127.0.0.1:{server.port}", "--data", tmp_path / "other")
    assert code == 1 and "give another --admin-listen" in err


def test_serve_prints_links_only_on_a_terminal(tmp_path):
    terminal, other = os.openpty()
    command = [harness.BINARY, "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data"]
    with subprocess.Popen(command, stdout=other, stderr=subprocess.DEVNULL,
                          env=harness.clean_environment()) as process:
        os.close(other)
        out = ""
        try:
            while "admin key" not in out:
                out += os.read(terminal, 4096).decode()
        finally:
            process.terminate()
            os.close(terminal)
    lines = [line.split() for line in out.splitlines()]
    url = lines[0][-1]
    assert lines == [["maejin:", "listening", "on", url], ["fans", f"{url}/"],
                     ["rankings", f"{url}/rankings"], ["console", f"{url}/console"], ["API", f"{url}/docs"],
                     ["admin", "key", str(tmp_path / "data" / "admin.key")]]


def test_admin_key_file_setting_overrides_the_folder_key(tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef\n")
    key.chmod(0o600)
    with harness.Server(tmp_path / "data", "--admin-key-file", key) as server:
        client = server.client(Authorization="Bearer 0123456789abcdef0123456789abcdef")
        assert client.get("/api/v1/rooms/main").status == 200
        assert not (tmp_path / "data" / "admin.key").exists()


def test_sigterm_exits_with_0_and_a_restart_finds_all_data(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        concert = harness.create_concert(server.admin())
        paid = harness.buy(server.client(), concert, 1, "ann")
        place = harness.join(server.client(), concert["id"], "ben")
        assert server.stop() == 0
    with harness.Server(tmp_path / "data") as server:
        seats = server.client().get(f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats").json["seats"]
        assert [s["status"] for s in seats if s["number"] == 1] == ["ASSIGNED"]
        polled = server.client().call("GET", f"/api/v1/rooms/{concert['id']}/entries/me",
                                      headers={"X-Queue-Token": place["token"]})
        assert polled.status == 200 and polled.json["number"] == place["number"]
        assert paid["status"] == "CONFIRMED"


def test_sigterm_lets_running_requests_finish(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        concert = harness.create_concert(server.admin(), seats=50)
        outcomes = []

        def keep_joining(name):
            client = server.client()
            try:
                for i in range(100_000):
                    answer = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": f"{name}-{i}"})
                    outcomes.append(answer.status)
            except (OSError, harness.http.client.HTTPException):
                pass  # refused after the drain began

        threads = [threading.Thread(target=keep_joining, args=(f"fan{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        harness.until(lambda: len(outcomes) > 20)
        assert server.stop() == 0
        for thread in threads:
            thread.join()
        assert set(outcomes) <= {201, 503}
        joined = outcomes.count(201)
    with harness.Server(tmp_path / "data") as server:
        serving = server.client().get(f"/api/v1/rooms/{concert['id']}/serving").json
        assert serving["waiting"] + serving["entered"] >= joined, "an answered join is remembered"


def test_idle_connection_does_not_delay_the_exit(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        with socket.create_connection(("127.0.0.1", server.port)):
            assert server.stop(timeout=15) == 0


def test_a_key_file_open_to_every_user_is_refused(tmp_path):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef\n")
    key.chmod(0o644)
    code, _, err = harness.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data",
                               "--admin-key-file", key)
    assert code == 1 and f"chmod o= {key}" in err


def test_root_serves_a_public_address_only_with_allow_root(tmp_path):
    arguments = ["--listen", "0.0.0.0:0", "--auth-users", "trusted", "--data", tmp_path / "data"]
    if os.geteuid() == 0:
        code, _, err = harness.run("serve", *arguments)
        assert code == 1 and "--allow-root" in err and not (tmp_path / "data").exists()
    with harness.Server(tmp_path / "data", "--auth-users", "trusted", "--allow-root",
                        listen="0.0.0.0:0") as server:
        assert server.client().get("/healthz").status == 200
