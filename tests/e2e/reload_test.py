"""SIGHUP: what a running server takes over, and what it names for the next restart."""
import re
import signal

import harness
import pytest


class Reloaded:
    """A server with a configuration file that tests change."""

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "maejin.toml"
        self.write("")
        self.server = harness.Server(folder / "data", "--config", self.file)
        self.count = {"applied": 0, "refused": 0}

    def write(self, text):
        self.file.write_text(text, encoding="utf-8")

    def log(self):
        return self.server.log_path.read_text(encoding="utf-8")

    def reload(self, text, result="applied"):
        """Returns the lines of the log since."""
        before = len(self.log())
        self.write(text)
        self.server.process.send_signal(signal.SIGHUP)
        self.count[result] += 1
        expected = {"applied": "reloaded: ", "refused": "reload refused: "}[result]
        harness.until(lambda: expected in self.log()[before:])
        return self.log()[before:]


@pytest.fixture(name="reloaded")
def fixture_reloaded(tmp_path):
    made = Reloaded(tmp_path)
    with made.server:
        yield made


def test_reload_changes_what_it_may_and_names_what_needs_a_restart(reloaded):
    client = reloaded.server.client()
    origin = {"Origin": "https://shop.example"}
    assert "access-control-allow-origin" not in client.get("/api/v1/concerts", **origin).headers
    reloaded.reload("""
        timezone = "UTC"
        [http]
        cors-origins = ["https://shop.example"]
        body-limit-bytes = 2048
        trusted-proxies = ["127.0.0.1"]
        [log]
        format = "json"
    """)
    answer = client.get("/api/v1/concerts", **origin)
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    assert client.post("/queue/token", {"userId": "x" * 4000}).status == 413
    waits = '"level":"warning","message":"changed, but need a restart: timezone"'
    harness.until(lambda: waits in reloaded.log())  # written after the line that reload() awaits
    shown = reloaded.server.admin().get("/api/v1/admin/system").json["configuration"]
    assert shown["http.body-limit-bytes"]["value"] == "2048"
    assert shown["timezone"]["value"] == "Asia/Seoul", "not in force"
    reloaded.reload("")
    assert client.post("/queue/token", {"userId": "x" * 4000}).status == 400
    assert "access-control-allow-origin" not in client.get("/api/v1/concerts", **origin).headers


def served_client(server):
    """Returns a client with an answered request, or None where the server has no connection left."""
    client = server.client()
    return client if client.get("/healthz").status == 200 else None


def test_connection_limit_is_reloaded(reloaded):
    reloaded.reload("http.connections = 1")
    # The server notes the end of an earlier connection a moment after the client closed it.
    first = harness.until(lambda: served_client(reloaded.server))
    assert served_client(reloaded.server) is None
    reloaded.reload("")
    assert served_client(reloaded.server), "beside the first"
    assert first.get("/healthz").status == 200


@pytest.mark.parametrize(
    "text", ["http.body-limit-bytes = 1", "unknown = 1", "not toml", 'http.trusted-proxies = ["x"]'])
def test_wrong_configuration_changes_nothing(reloaded, text):
    lines = reloaded.reload(text, "refused")
    assert "reload refused: " in lines
    assert reloaded.server.client().get("/healthz").status == 200
    shown = reloaded.server.admin().get("/api/v1/admin/system").json["configuration"]
    assert shown["http.body-limit-bytes"]["value"] == "65536"


def test_reloads_are_counted(reloaded):
    reloaded.reload("")
    value = harness.metric(reloaded.server.client(), 'maejin_reloads_total{result="applied"}')
    assert value == reloaded.count["applied"]


def test_access_log_is_opened_again(tmp_path):
    log = tmp_path / "access.log"
    with harness.Server(tmp_path / "data", "--log-access", log) as server:
        server.client().get("/healthz?first")
        harness.until(lambda: "first" in log.read_text(encoding="utf-8"))
        log.rename(tmp_path / "access.log.1")
        server.process.send_signal(signal.SIGHUP)
        harness.until(log.exists)
        server.client().get("/healthz?second")
        harness.until(lambda: "second" in log.read_text(encoding="utf-8"))
        assert not re.search("second", (tmp_path / "access.log.1").read_text(encoding="utf-8"))
