"""A site that says its load, for rooms whose rate floats."""
import http.server
import threading


class HealthSite(http.server.ThreadingHTTPServer):
    """A shop whose /health/N answers with the load N, and whose other paths answer 503. Counts requests."""
    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            load = self.path.removeprefix("/health/")
            self.send_response(200 if load.isdigit() else 503)
            if load.isdigit():
                self.send_header("Maejin-Load", load)
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
