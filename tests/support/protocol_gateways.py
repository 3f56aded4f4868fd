"""Gateways that are not in Debian, reduced to the protocol that they speak with maejin: Traefik's ForwardAuth
and Envoy's ext_authz over HTTP. Each reads the file that `maejin snippet` prints, as far as it concerns the
gate: rules, routes, the question, and what happens without an answer."""
import http.client
import http.server
import ipaddress
import re
import threading
import urllib.parse

import yaml

HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


def ask(url, method, path, headers, body=b"", timeout=30):
    target = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(target.hostname, target.port, timeout=timeout)
    connection.request(method, path, body=body, headers=headers)
    response = connection.getresponse()
    answer = response.status, response.getheaders(), response.read()
    connection.close()
    return answer


class Gateway:
    """A server on the port, in a `with` block."""

    def __init__(self, text, port):
        self.config, self.port = yaml.safe_load(text), port

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, headers, body = outer.answer(self)
                self.send_response_only(status)
                for name, value in headers:
                    if name.lower() not in HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @staticmethod
    def forward(url, asked):
        headers = {name: value for name, value in asked.headers.items() if name.lower() not in HOP}
        return ask(url, asked.command, asked.path, headers, asked.body)


class Traefik(Gateway):
    def matches(self, rule, asked):
        path = urllib.parse.unquote(asked.path.split("?")[0])
        functions = {
            "Path": lambda value: path == value, "PathPrefix": path.startswith,
            "PathRegexp": lambda value: re.search(value, asked.path.split("?")[0]) is not None,
            "Method": lambda value: asked.command == value,
            "ClientIP": lambda value: ipaddress.ip_address("127.0.0.1") in ipaddress.ip_network(value),
            "HeaderRegexp": lambda name, value: re.search(value, asked.headers.get(name, "")) is not None
        }
        python = re.sub(r"`([^`]*)`", lambda found: repr(found.group(1)), rule)
        python = python.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
        return eval(python, {"__builtins__": {}}, functions)

    def answer(self, asked):
        http_part = self.config["http"]
        routers = sorted(http_part["routers"].values(), key=lambda each: -each["priority"])
        router = next(each for each in routers if self.matches(each["rule"], asked))
        cookies = []
        for name in router.get("middlewares", []):
            auth = http_part["middlewares"][name]["forwardAuth"]
            target = urllib.parse.urlsplit(auth["address"])
            # ForwardAuth copies the visitor's headers and sets its own.
            headers = {name: value for name, value in asked.headers.items() if name.lower() not in HOP}
            drop = [name for name in headers if name.lower().startswith("x-forwarded-")]
            for name in drop:
                del headers[name]
            headers.update({
                "X-Forwarded-Method": asked.command, "X-Forwarded-Proto": "http",
                "X-Forwarded-Host": asked.headers["Host"], "X-Forwarded-Uri": asked.path,
                "X-Forwarded-For": "127.0.0.1"
            })
            headers["Host"] = target.netloc
            try:
                said = ask(auth["address"], "GET", f"{target.path}?{target.query}", headers, timeout=5)
            except OSError:
                return 500, [], b""
            if not 200 <= said[0] < 300:
                return said
            for name, value in said[1]:
                kept = value.split("=")[0] in auth.get("addAuthCookiesToResponse", [])
                if name.lower() == "set-cookie" and kept:
                    cookies.append((name, value))
        server = http_part["services"][router["service"]]["loadBalancer"]["servers"][0]
        status, headers, body = self.forward(server["url"], asked)
        return status, headers + cookies, body


class Envoy(Gateway):
    def __init__(self, text, port):
        super().__init__(text, port)
        resources = self.config["static_resources"]
        listener = resources["listeners"][0]
        self.manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
        self.clusters = {}
        for cluster in resources["clusters"]:
            endpoint = cluster["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"]
            place = endpoint["address"]["socket_address"]
            self.clusters[cluster["name"]] = f"http://{place['address']}:{place['port_value']}"
        assert listener["address"]["socket_address"]["port_value"] == port

    @staticmethod
    def normalise(target):
        """As normalize_path, merge_slashes and UNESCAPE_AND_FORWARD do."""
        path, mark, query = target.partition("?")
        path = re.sub(r"(?i)%(2f|5c)", "/", path).replace("\\", "/")
        path = re.sub(r"(?i)%2e", ".", path)
        kept = []
        for segment in re.sub(r"/+", "/", path).split("/")[1:]:
            if segment == "..":
                kept = kept[:-1]
            elif segment != ".":
                kept.append(segment)
        return "/" + "/".join(kept) + mark + query

    def matches(self, match, asked):
        path = asked.path.split("?")[0]
        same = (lambda text: text) if match.get("case_sensitive", True) else str.lower
        if "path" in match and same(path) != same(match["path"]):
            return False
        if not same(path).startswith(same(match.get("prefix", ""))):
            return False
        if "safe_regex" in match and not re.fullmatch(match["safe_regex"]["regex"], path):
            return False
        for header in match.get("headers", []):
            value = asked.command if header["name"] == ":method" else asked.headers.get(header["name"], "")
            wanted = header["string_match"]
            if "exact" in wanted and value != wanted["exact"]:
                return False
            if "safe_regex" in wanted and not re.fullmatch(wanted["safe_regex"]["regex"], value):
                return False
        return True

    def answer(self, asked):
        asked.path = self.normalise(asked.path)
        routes = self.manager["route_config"]["virtual_hosts"][0]["routes"]
        route = next(each for each in routes if self.matches(each["match"], asked))
        cluster = self.clusters[route["route"]["cluster"]]
        cookies = []
        if "typed_per_filter_config" not in route:
            said = self.authorise(asked, cookies)
            if said:
                return said
        status, headers, body = self.forward(cluster, asked)
        return status, headers + cookies, body

    def authorise(self, asked, cookies):
        """ext_authz over HTTP: the visitor's method, the prefix before the path, no body."""
        settings = self.manager["http_filters"][0]["typed_config"]
        service = settings["http_service"]
        allowed = {each["exact"] for each in service["authorization_request"]["allowed_headers"]["patterns"]}
        headers = {
            name: value for name, value in asked.headers.items()
            if name.lower() in allowed and not name.lower().startswith("x-forwarded-")
        }
        headers.update({"Host": asked.headers["Host"], "X-Forwarded-For": "127.0.0.1",
                        "X-Forwarded-Proto": "http", "Content-Length": "0"})
        timeout = float(service["server_uri"]["timeout"].rstrip("s"))
        try:
            said = ask(self.clusters["maejin"], asked.command, service["path_prefix"] + asked.path, headers,
                       timeout=timeout)
            error = said[0] >= 500
        except OSError:
            error = True
        if error:
            return None if settings["failure_mode_allow"] else (503, [], b"")
        if said[0] != 200:
            return said
        passed = service["authorization_response"]["allowed_client_headers_on_success"]["patterns"]
        cookies += [each for each in said[1] if {"exact": each[0].lower()} in passed]
        return None
