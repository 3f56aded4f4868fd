"""The limits per client address of the shipped deploy/nginx.conf, in a real nginx."""
import http.client
import http.server
import string
import subprocess
import threading

import harness


class Upstream(http.server.BaseHTTPRequestHandler):
    """Answers /wait when it is released, anything else at once."""
    release = threading.Event()
    waiting = []

    def do_GET(self):
        if self.path == "/wait":
            self.waiting.append(self)
            self.release.wait(60)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_one_address_is_limited_and_this_machine_is_exempt(tmp_path):
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    port = harness.free_port()
    text = string.Template((harness.ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")).substitute(
        folder=tmp_path, listen=f"127.0.0.1:{port}", servers=f"    server 127.0.0.1:{upstream.server_port};")
    for a, b in (("127.0.0.0/8 1;", "127.0.0.9 1;"), ("limit_conn connections 200;",
                                                      "limit_conn connections 2;")):
        assert a in text
        text = text.replace(a, b)
    (tmp_path / "nginx.conf").write_text(text, encoding="utf-8")
    nginx = subprocess.Popen(["/usr/sbin/nginx", "-p", tmp_path, "-c", tmp_path / "nginx.conf"],
                             preexec_fn=harness.die_with_parent)
    try:
        def status(source, path="/"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(source, 0))
            try:
                connection.request("GET", path)
                return connection.getresponse().status
            except ConnectionError:
                return None
            finally:
                connection.close()

        harness.until(lambda: status("127.0.0.9") == 200)
        for source in ("127.0.0.1", "127.0.0.9"):
            for _ in range(2):
                threading.Thread(target=status, args=(source, "/wait"), daemon=True).start()
        # A request of this test must not take the place of one that waits.
        harness.until(lambda: len(Upstream.waiting) == 4)
        assert status("127.0.0.1") == 429
        assert status("127.0.0.9") == 200, "this machine is exempt"
        Upstream.release.set()
        harness.until(lambda: status("127.0.0.1") == 200)
    finally:
        nginx.terminate()
        nginx.wait()
        upstream.shutdown()
        upstream.server_close()
