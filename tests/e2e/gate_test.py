"""The gate in front of a toy shop, with a real nginx and the configuration that `maejin snippet nginx`
prints."""
import http.server
import pathlib
import shutil
import socket
import subprocess
import threading

import harness
import pytest


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"welcome to the shop")

    def log_message(self, *_):
        pass


@pytest.fixture
def shop():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.fixture
def maejin(tmp_path):
    with harness.Server(tmp_path / "data") as running:
        running.admin().call("PUT", "/api/v1/rooms/main", {"capacity": 1, "admission": "claim"})
        yield running


@pytest.fixture
def front(tmp_path, shop, maejin):
    """A client of nginx."""
    code, snippet, error = harness.run("snippet", "nginx", "--maejin", f"http://127.0.0.1:{maejin.port}",
                                       "--shop", f"http://127.0.0.1:{shop}")
    assert code == 0, error
    port = harness.free_port()
    config = tmp_path / "nginx.conf"
    config.write_text(f"""
daemon off;
pid {tmp_path}/nginx.pid;
error_log {tmp_path}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {tmp_path}/body;
    proxy_temp_path {tmp_path}/proxy;
    fastcgi_temp_path {tmp_path}/fastcgi;
    uwsgi_temp_path {tmp_path}/uwsgi;
    scgi_temp_path {tmp_path}/scgi;
    server {{
        listen 127.0.0.1:{port};
        {snippet}
    }}
}}
""", encoding="utf-8")
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([nginx, "-c", str(config), "-p", str(tmp_path)])
    try:
        harness.until(lambda: pathlib.Path(tmp_path / "nginx.pid").exists() and answers(port))
        yield harness.Client(port)
    finally:
        process.terminate()
        process.wait(60)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_gate_admits_only_fans_inside(front, maejin):
    fan = maejin.client()

    def visit(**headers):
        answer = front.call("GET", "/buy?seat=1", headers=headers or None)
        return answer.status, answer.headers.get("x-maejin-gate", "") or answer.text

    def join(user):
        return fan.post("/api/v1/rooms/main/entries", {"userId": user}).json["token"]

    assert visit() == (302, "none")
    # The redirect leads to maejin's waiting page, which is not behind the gate.
    sent = front.get("/buy?seat=1").headers["location"]
    assert sent.endswith("/events/main") and "<html" in front.get("/events/main").text
    ann, bob = join("ann"), join("bob")
    entered = fan.call("POST", "/api/v1/rooms/main/enter", headers={"X-Queue-Token": ann}).json
    inside = (200, "welcome to the shop")
    assert visit(Cookie=f"maejin_pass={entered['pass']}") == inside
    assert visit(**{"X-Maejin-Pass": entered["pass"]}) == inside
    assert visit(**{"X-Queue-Token": ann}) == inside
    assert visit(**{"X-Queue-Token": bob}) == (302, "not-inside")
    assert visit(Cookie="maejin_pass=x.y.z") == (302, "invalid")
    fan.call("DELETE", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": ann})
    assert visit(Cookie=f"maejin_pass={entered['pass']}") == (302, "not-inside")
    maejin.kill()
    assert front.call("GET", "/buy").status == 500, "an unreachable gate refuses all requests"
