"""A poll over TLS (keep-alive) beside nginx's answer of the same body over TLS, in the same run.

Both servers have one thread and the same certificate; wrk keeps the connections open. The rounds alternate.
Compared is the CPU time of the server per request, as `./dev bench poll` does for plain HTTP. The third
column, plain HTTP of the same maejin, shows what the tunnel and the encryption cost together.

`--small` is the mode that tests run: it checks the programs, not the figures."""
import argparse
import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/support"))
import harness  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def certificate(folder):
    cert, key = folder / "a.crt", folder / "a.key"
    subprocess.run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"
    ], check=True, capture_output=True)
    return cert, key


class TlsServer(harness.Server):
    def _first_line(self):
        return super()._first_line().replace("https://", "http://")


@contextlib.contextmanager
def nginx(folder, cert, key, body):
    port = harness.free_port()
    (folder / "nginx.conf").write_text(f"""daemon off; worker_processes 1; master_process off;
pid {folder}/nginx.pid; error_log {folder}/error.log crit; events {{ worker_connections 4000; }}
http {{ access_log off; keepalive_requests 1000000000; server_tokens off;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {cert}; ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    location / {{ default_type application/json; return 200 '{body}'; }} }} }}""", encoding="utf-8")
    with subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf"],
                          stderr=subprocess.DEVNULL) as process:
        try:
            url = f"https://127.0.0.1:{port}/"
            harness.until(lambda: subprocess.run(["curl", "-sk", url], capture_output=True,
                                                 check=False).returncode == 0)
            yield process.pid, url
        finally:
            process.terminate()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def load(pid, url, seconds, connections, *headers):
    """(CPU microseconds of the server per request, requests per second)"""
    words = [word for header in headers for word in ("-H", header)]
    before = cpu_seconds(pid)
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", *words, url],
                          capture_output=True, text=True, check=True)
    used = cpu_seconds(pid) - before
    assert "Non-2xx" not in done.stdout and "Socket errors" not in done.stdout, done.stdout
    requests = int(re.search(r"(\d+) requests in", done.stdout)[1])
    return used * 1e6 / requests, float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    if options.small:
        options.seconds, options.rounds, options.connections = 1, 1, 4
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as parts:
        folder = pathlib.Path(name)
        cert, key = certificate(folder)
        server = parts.enter_context(TlsServer(folder / "data", "--threads", "1", "--tls-cert-file", cert,
                                               "--tls-key-file", key))
        local = int(re.search(r":(\d+)", (server.data / "maejin.lock").read_text(encoding="utf-8"))[1])
        admin = harness.Client(local, {"Authorization": f"Bearer {server.admin_key}"})
        room = harness.create_concert(admin, seats=10)["id"]
        admin.call("PUT", f"/api/v1/rooms/{room}", {"capacity": 1})
        harness.join(harness.Client(local), room, "first")
        token = harness.join(harness.Client(local), room, "waiting")["token"]
        path, header = f"/api/v1/rooms/{room}/entries/me", f"X-Queue-Token: {token}"
        body = harness.Client(local).get(path, **{"X-Queue-Token": token}).text
        peer, url = parts.enter_context(nginx(folder, cert, key, body))
        figures = {"maejin": [], "nginx": [], "plain": []}
        for _ in range(options.rounds):
            sizes = options.seconds, options.connections
            figures["maejin"].append(
                load(server.process.pid, f"https://127.0.0.1:{server.port}{path}", *sizes, header))
            figures["nginx"].append(load(peer, url, *sizes, header))
            figures["plain"].append(
                load(server.process.pid, f"http://127.0.0.1:{local}{path}", *sizes, header))
    cpu = {name: statistics.median(each[0] for each in rounds) for name, rounds in figures.items()}
    rate = {name: statistics.median(each[1] for each in rounds) for name, rounds in figures.items()}
    print(f"CPU per poll over TLS, {options.connections} connections, median of {options.rounds}: maejin "
          f"{cpu['maejin']:.2f} us, nginx return 200 {cpu['nginx']:.2f} us, ratio "
          f"{cpu['maejin'] / cpu['nginx']:.2f}; plain HTTP {cpu['plain']:.2f} us")
    print("requests per second: " + ", ".join(f"{name} {each:,.0f}" for name, each in rate.items()))


main()
