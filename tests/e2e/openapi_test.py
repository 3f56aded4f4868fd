"""openapi.yaml describes exactly the routes of the running server, and every field of requests and
answers."""
import json
import re

import harness
import openapi
import pytest
import yaml

# Pages are not part of the API.
PAGES = re.compile(r"/|/me|/sw\.js|/(events|rankings|docs|console|assets|client|favicon).*")


def test_every_route_is_described_and_every_description_has_a_route():
    code, out, err = harness.run("routes", "--json")
    assert code == 0, err
    routes = {(route["method"], route["path"]) for route in json.loads(out)
              if not PAGES.fullmatch(route["path"])}
    described = {key for key in openapi.operations() if not PAGES.fullmatch(key[1])}
    assert sorted(routes - described) == [], "routes that openapi.yaml does not describe"
    assert sorted(described - routes) == [], "descriptions without a route"


def test_operator_routes_require_the_admin_key_in_the_document():
    admin = {(r["method"], r["path"]) for r in json.loads(harness.run("routes", "--json")[1]) if r["admin"]}
    described = {
        key for key, operation in openapi.operations().items()
        if {"admin": []} in operation.get("security", [])
    }
    assert admin == described


def test_the_server_serves_its_own_description(client):
    answer = client.get("/openapi.yaml")
    assert answer.status == 200
    assert yaml.safe_load(answer.text)["openapi"].startswith("3.1")


class Recorder:
    """A client that validates every answer by the document and records the operations."""

    def __init__(self, server):
        self.client = server.client()
        self.key = {"Authorization": f"Bearer {server.admin_key}"}
        self.told, self.faults = set(), []

    def call(self, method, path, body=None, user=None, **headers):
        key = openapi.operation_of(method, path)
        admin = {"admin": []} in openapi.operations()[key].get("security", [])
        sent = {**(self.key if admin else {}), **({"X-User-Id": user} if user else {}), **headers}
        answer = self.client.call(method, path, body, sent)
        if answer.status < 300:
            self.told.add(key)
        self.faults += [f"{method} {path}: {fault}" for fault in openapi.faults_of_answer(key, answer)]
        return answer

    def walk_session(self):
        """Signs in, reads the session by its cookie alone, and signs out."""
        path = "/api/v1/admin/session"
        cookie = self.call("POST", path).headers["set-cookie"].split(";")[0]
        origin = f"http://127.0.0.1:{self.client.port}"
        key, self.key = self.key, {}
        self.call("GET", path, Cookie=cookie)
        self.call("DELETE", path, Cookie=cookie, Origin=origin)
        self.key = key

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)


PLAN = {
    "concertDate": "2099-05-02", "startsAt": "2099-05-02T10:00:00Z", "bookingOpenAt": "2026-01-01T00:00:00Z",
    "sections": [{
        "name": "A", "rows": 2, "seatsPerRow": 3, "price": 10, "blocked": [{"row": 1, "seats": [1]}],
        "wheelchair": [{"row": 2, "seats": [3]}]
    }, {
        "name": "B", "rowLengths": [2, 1], "shape": [0, 0, 9, 0, 9, 9], "blocked": [{"row": 1, "seats": [1]}],
        "wheelchair": [{"row": 2, "seats": [1]}]
    }]
}
CONCERT = {"title": "t", "artist": "a", "venue": "v", "price": 5, "holdSeconds": 60, "room": "none",
           "schedules": [{"concertDate": "2099-05-01", "seats": 2, "blocked": [], "wheelchair": [2]}, PLAN]}
HISTORY = {"title": "t", "artist": "a", "venue": "v", "bookingOpenAt": "2025-10-31T10:00:00Z",
           "soldOutAt": "2025-10-31T10:01:00Z", "schedules": [{"concertDate": "2025-12-24", "seats": 5}]}


def buy_everything(api):
    """Concerts and reservations in every state."""
    concert = api.post("/api/v1/concerts", CONCERT).json
    path, (small, large) = f"/api/v1/concerts/{concert['id']}", [each["id"] for each in concert["schedules"]]
    api.post(path + "/open")
    api.post(path + "/schedules", {"schedules": [{"concertDate": "2099-05-03", "seats": 1}]})
    added = api.post(path + "/schedules/import", json.dumps(PLAN)).json["schedules"]
    assert api.post(path + "/schedules/import", '{"seats": 1}').json["errors"][0]["line"] == 1
    for number, where in enumerate(("/api/v1/reservations", "/reservations"), start=1):
        held = api.post(where, {"scheduleId": small, "seats": [number]}, user="ann").json
        reservation = f"/api/v1/reservations/{held['reservationId']}"
        api.post(reservation + "/extension", user="ann")
        api.post(reservation + "/payment", {"amount": held["amount"], "method": "card", "userId": "ann"})
        api.get(reservation, user="ann")
        api.get(reservation + "/tickets", user="ann")
        api.get(f"/api/v1/tickets/{held['code']}")
    assert api.post("/api/v1/reservations", {"scheduleId": small, "seats": [1]},
                    user="bob").code == "sold-out"
    best = {
        "scheduleId": large, "best": 1, "section": "A", "maxPrice": 10, "prefer": "price", "userId": "ann"
    }
    held = api.post("/api/v1/reservations", best).json
    api.call("DELETE", f"/api/v1/reservations/{held['reservationId']}", user="ann")
    assert len(api.get("/api/v1/reservations?limit=2", user="ann").json["items"]) == 2
    api.get(f"/api/v1/schedules/{large}/best?count=2")
    held = api.post("/api/v1/reservations", {"scheduleId": large, "best": 1}, user="ann").json
    api.get(f"/api/v1/admin/reservations/{held['code']}")
    api.call("DELETE", f"/api/v1/admin/reservations/{held['reservationId']}", {"reason": "a test"})
    for form in ("", "?form=compact", "?since=1"):
        api.get(f"/api/v1/schedules/{large}/seats{form}")
    for action, body in (("block", {"seats": [7]}), ("release", {"seats": [7]}),
                         ("postpone", {"concertDate": "2099-06-01"}), ("cancel", None)):
        api.post(f"/api/v1/schedules/{large}/{action}", body)
    api.call("PATCH", path, {"title": "corrected"})
    api.call("PUT", path + "/poster", b"RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\x3f\x01\0")
    assert api.get(path).json["poster"]["width"] == 640
    assert api.get(path + "/poster").status == 200
    api.call("DELETE", path + "/poster")
    api.call("PATCH", path, {"organizer": "Moon"})
    api.call("PUT", path + "/logo", b"RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0\x63\0\0\x27\0\0")
    assert (api.get(path).json["logo"]["width"], api.get(path).json["organizer"]) == (100, "Moon")
    assert api.get(path + "/logo").status == 200
    api.call("DELETE", path + "/logo")
    api.call("PATCH", f"/api/v1/schedules/{small}", {"salesEndAt": "2099-04-30T00:00:00Z"})
    assert len(added) == 4
    api.get(path + "/report")
    api.get(path + "/series")
    return path


def sell_out(api):
    concert = api.post("/api/v1/concerts",
                       {**CONCERT, "schedules": [{"concertDate": "2099-05-01", "seats": 1}]}).json
    api.post(f"/api/v1/concerts/{concert['id']}/open")
    held = api.post("/api/v1/reservations", {"scheduleId": concert["schedules"][0]["id"], "best": 1},
                    user="ann").json
    api.post(f"/api/v1/reservations/{held['reservationId']}/payment", {"amount": held["amount"]}, user="ann")
    harness.until(lambda: api.get(f"/api/v1/concerts/{concert['id']}").json["ranking"])
    return concert["id"]


def wait_in_line(api):
    """A fan in the pre-queue, waiting, ready, and inside."""
    room = "/api/v1/rooms/main"
    for settings in ({"state": "closed", "capacity": 0,
                      "admission": "claim"}, {"state": "pre-queue", "notice": "soon"}):
        api.call("PUT", room, settings)
    token = {"X-Queue-Token": api.post(room + "/entries", user="ann").json["token"]}
    api.call("PUT", room, {"state": "open"})
    api.post("/queue/token", {"userId": "bob", "eventId": "main"})
    for path in (room + "/entries/me", "/queue/status", room + "/serving", room + "/shuffle", room,
                 "/api/v1/rooms"):
        api.get(path, **token)
    api.call("PUT", room, {"capacity": 10, "ratePerMinute": 600, "joinsPerAddressPerMinute": 1000})
    harness.until(lambda: api.get(room + "/entries/me", **token).json["status"] == "ready")
    entered = api.post(room + "/enter", **token)
    assert entered.status == 200, entered
    api.post(room + "/entries", user="ann")
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        api.call(method, "/gate?room=main", **token)
    api.get("/gate?room=main")
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        assert api.call(method, "/gate?room=main", **token).status == 204
    assert api.get("/gate?room=main&as=forward", Accept="application/json").code == "wait-required"
    api.post(room + "/revocations", {"userId": "ann"})
    api.get(room + "/revocations")
    api.call("DELETE", room + "/entries/me", **token)
    api.get(room + "/entries/me", **token)


def make_own_room(api):
    settings = {"title": "Sale", "returnUrls": ["https://shop.example/"], "visitors": "users"}
    api.post("/api/v1/rooms", {"id": "shop", **settings})
    api.call("PATCH", "/api/v1/rooms/shop", {"verify": "offline"})
    token = {"X-Queue-Token": api.post("/api/v1/rooms/shop/entries", user="ann").json["token"]}
    entered = api.post("/api/v1/rooms/shop/enter", {"return": "https://shop.example/"}, **token)
    assert "returnUrl" in entered.json
    api.call("DELETE", "/api/v1/rooms/shop")


def read_rankings(api, concert):
    api.post("/api/v1/admin/soldouts", json.dumps([HISTORY, {**HISTORY, "title": 7}]))
    board = "/api/v1/rankings/soldout"
    date = api.get(f"/api/v1/concerts/{concert}").json["schedules"][0]["id"]
    for path in (board, board + "?window=all", board + "/top", board + "/schedules",
                 f"{board}/schedules/{date}", f"{board}/concerts/{concert}?window=all&around=2",
                 "/api/v1/rankings/progress", "/api/v1/rankings/progress?by=schedule",
                 "/api/v1/rankings/progress/2099-05-01", "/api/v1/concerts/rankings/soldout",
                 "/concerts/ranking"):
        answer = api.get(path)
        assert answer.status == 200 and answer.json not in ([], {}), path
    imported = api.post("/api/v1/admin/soldouts", json.dumps([{**HISTORY, "concertId": 4712, "title": "w"}]))
    assert imported.json["imported"] == 1
    api.call("PUT", "/api/v1/admin/soldouts/4712", HISTORY)
    api.call("DELETE", "/api/v1/admin/soldouts/4712")
    for action, body in (("reconcile", None), ("prune", {"before": "2025-01"}), ("rebuild", None)):
        api.post("/api/v1/admin/rankings/" + action, body)


def manage_webhooks(api):
    """An endpoint that is not reachable."""
    hook = api.post("/api/v1/admin/webhooks", {"url": "http://127.0.0.1:9/", "types": ["webhook.test"]}).json
    path = f"/api/v1/admin/webhooks/{hook['id']}"
    event = api.post(path + "/test").json["eventId"]
    api.post(path + "/rotate-secret")
    harness.until(lambda: api.get(path + "/deliveries").json["deliveries"])
    api.post(f"{path}/deliveries/{event}/resend")
    api.call("PATCH", path, {"status": "disabled"})
    for each in ("/api/v1/admin/webhooks", path):
        api.get(each)
    api.call("DELETE", path)


def manage_keys(api):
    key = api.post("/api/v1/admin/keys", {"name": "Front desk", "role": "viewer"}).json
    api.get("/api/v1/admin/keys")
    api.call("DELETE", f"/api/v1/admin/keys/{key['id']}")


def use_emergency_controls(api):
    api.post("/api/v1/admin/rooms/main/bypass", {"minutes": 1})
    api.get("/api/v1/rooms/main")
    api.call("DELETE", "/api/v1/admin/rooms/main/bypass")
    api.call("PUT", "/api/v1/admin/maintenance")
    api.get("/api/v1/admin/maintenance")
    api.get("/api/v1/concerts")
    api.call("DELETE", "/api/v1/admin/maintenance")


def rehearse(api):
    path = "/api/v1/admin/rehearsals/current"
    assert api.get(path).status == 204
    sizes = {"fans": 4, "seats": 2, "opensInSeconds": 0, "arriveWithinSeconds": 0, "thinkMs": 0,
             "holdSeconds": 1}
    # Earlier steps left fans in line.
    assert api.post("/api/v1/admin/rehearsals", {**sizes, "duringSale": True}).status == 202
    harness.until(lambda: api.get(path).json["report"])
    assert api.call("DELETE", path).status == 404
    assert api.post("/api/v1/admin/rehearsals", {**sizes, "seats": 900, "duringSale": True}).status == 202
    assert api.call("DELETE", path).status == 204
    harness.until(lambda: api.get(path).json["state"] == "cancelled")


# Operations without JSON (own_rooms_test.py walks the way to a site and back), and the payment callback
# (payments_test.py validates its answers).
NOT_WALKED = {("GET", path) for path in (
    "/api/v1/rooms/{eventId}/stream", "/api/v1/schedules/{id}/seats/stream", "/api/v1/rankings/stream",
    "/docs/problems/{code}", "/gate/return", "/wait/{room}")} | {("POST", "/api/v1/payments/callback")}


def test_every_answer_matches_the_document(tmp_path):
    with harness.Server(tmp_path / "data", "--webhooks-allow-private", "true") as server:
        api = Recorder(server)
        concert = buy_everything(api)
        wait_in_line(api)
        make_own_room(api)
        read_rankings(api, sell_out(api))
        manage_webhooks(api)
        manage_keys(api)
        use_emergency_controls(api)
        rehearse(api)
        api.walk_session()
        for path in ("/api/v1/concerts", "/api/v1/admin/concerts", "/api/v1/admin/reservations?limit=2",
                     "/api/v1/admin/reservations.csv", "/api/v1/admin/audit", "/api/v1/admin/events",
                     "/api/v1/admin/system", "/api/v1/admin/readiness", "/api/v1/time", "/healthz",
                     "/readyz", "/metrics",
                     "/openapi.yaml", "/.well-known/jwks.json"):
            api.get(path)
        for action in ("/api/v1/admin/keys/rotate", concert + "/close", concert + "/reopen",
                       concert + "/cancel"):
            api.post(action)
        api.call("DELETE", "/api/v1/admin/users/ann")
        assert api.get("/api/v1/concerts/4711").code == "concert-not-found"
    assert api.faults == []
    assert sorted(set(openapi.operations()) - api.told -
                  NOT_WALKED) == [], "operations without a validated answer"


def test_control_undocumented_field_is_found():
    schema = openapi.document()["components"]["schemas"]["Readiness"]
    good = {"draining": False, "checks": {"journal": True}, "clockOffsetMs": 0, "status": "ready"}
    assert openapi.faults(schema, good) == []
    for wrong in ({**good, "colour": 1}, {**good, "status": "blue"}, {**good, "checks": {"journal": 1}},
                  {"draining": False, "clockOffsetMs": 0, "checks": {}}):
        assert len(openapi.faults(schema, wrong)) == 1


def bodies(concert, schedule, reservation):
    """A valid body of each operation with all of its objects; "{}" if no field is required."""
    hold = [{"scheduleId": schedule, "seats": [1]}, {"scheduleId": schedule, "best": 1}]
    seats, room, user = [{"seats": [1]}], "/api/v1/rooms/main", [{"userId": "ann"}]
    return {
        "/api/v1/concerts": [CONCERT],
        f"/api/v1/concerts/{concert}/schedules": [{"schedules": CONCERT["schedules"]}],
        f"/api/v1/schedules/{schedule}/block": seats,
        f"/api/v1/schedules/{schedule}/release": seats,
        f"/api/v1/schedules/{schedule}/postpone": [{"concertDate": "2099-07-01"}],
        f"/api/v1/concerts/{concert}": [{}],
        f"/api/v1/schedules/{schedule}": [{}],
        "/api/v1/reservations": hold,
        "/reservations": hold,
        f"/api/v1/reservations/{reservation}/payment": [{"amount": 1}],
        room: [{"capacity": 5}],
        f"/api/v1/rooms/{concert}": [{"capacity": 5}],
        "/api/v1/rooms": [{"id": "walked"}],
        room + "/entries": user,
        room + "/enter": user,
        room + "/revocations": user,
        "/queue/token": user,
        "/api/v1/admin/rankings/prune": [{"before": "1999-01"}],
        "/api/v1/admin/soldouts/4713": [HISTORY],
        "/api/v1/admin/keys": [{"name": "walked", "role": "viewer"}],
        "/api/v1/admin/rooms/4711/bypass": [{"minutes": 1}],
        "/api/v1/admin/rehearsals": [{"fans": 1, "seats": 3, "dates": 2}],  # refused: no multiple
        "/api/v1/admin/webhooks": [{"url": "http://unknown.invalid/", "types": ["webhook.test"]}],
        "/api/v1/admin/webhooks/4711": [{}],
        "/api/v1/admin/webhooks/4711/rotate-secret": [{}],
        f"/api/v1/admin/reservations/{reservation}": [{"reason": "a test"}],  # last: it ends the reservation
    }


def method_of(path):
    if path.startswith("/api/v1/admin/reservations/"):
        return "DELETE"
    if re.fullmatch(r"/api/v1/(concerts|schedules|rooms|admin/webhooks)/\d+", path):
        return "PATCH"
    return "PUT" if path.endswith(("/main", "/4713")) else "POST"


def sources():
    files = [
        path for path in (harness.ROOT / "src/http").rglob("*.cpp") if not path.name.endswith("_test.cpp")
    ]
    return "".join(path.read_text(encoding="utf-8") for path in files)


def words_of_the_program():
    """Every name that the sources read or write: candidates for body fields."""
    return set(re.findall(r'"([a-z][a-zA-Z]{2,})"', sources()))


def objects_in(schema, body, put=lambda whole: whole):
    """(schema, object, put): every object of a body; put(other) is the body with that object replaced."""
    schema = openapi.flat(schema)
    yield schema, body, put
    for name, each in body.items():
        if isinstance(each, list) and each and isinstance(each[-1], dict):
            def put_inside(inner, name=name, each=each):
                return put({**body, name: [*each[:-1], inner]})
            yield from objects_in(schema["properties"][name]["items"], each[-1], put_inside)


def unknown_to(ask, body, name):
    """Whether the program refuses the field as unknown. Null is valid for no field."""
    answer = ask({**body, name: body.get(name)})
    return answer.status == 400 and answer.code == "invalid-field" and "is not known here" in answer.json[
        "detail"]


@pytest.fixture
def sale(admin, client):
    concert = harness.create_concert(admin, room="none")
    schedule = concert["schedules"][0]["id"]
    held = client.post("/api/v1/reservations", {"scheduleId": schedule, "seats": [2], "userId": "ann"}).json
    return concert["id"], schedule, held["reservationId"]


def test_every_body_takes_the_fields_that_the_document_names_and_no_other(sale, admin):
    words, wrong, seen = words_of_the_program(), [], set()
    assert {"best", "maxSeatsPerUser", "rowLengths", "draining"} <= words
    for path, examples in bodies(*sale).items():
        method = method_of(path)
        key = openapi.operation_of(method, path)
        seen.add(key)
        accepted, described = {}, {}
        for example in examples:
            for schema, inner, put in objects_in(openapi.body_schema(key), example):
                where = tuple(sorted(schema["properties"]))
                described[where] = set(schema["properties"])
                ask = lambda body, put=put, call=(method, path): admin.call(*call, put(body))
                accepted.setdefault(where, set()).update(
                    name for name in words | described[where] if not unknown_to(ask, inner, name))
        wrong += [f"{method} {path}: {sorted(accepted[where] ^ described[where])}" for where in described
                  if accepted[where] != described[where]]
    assert wrong == []
    assert {key for key in openapi.operations() if openapi.body_schema(key)} - seen - STREAMED == set()


def whole_numbers(schema):
    """The names and limits of an object's whole numbers that a client sets."""
    for name, each in openapi.flat(schema)["properties"].items():
        each = openapi.flat(each)
        kinds = each.get("type", "")
        if kinds in ("integer", ["integer", "null"]) and not each.get("readOnly"):
            yield name, each.get("minimum"), each.get("maximum")


# Their maximum depends on other data: ids, amounts, the rows of a section.
WITHOUT_MAXIMUM = {"scheduleId", "after", "amount", "row"}
# Fields that an object cannot have beside others.
ALTERNATIVES = {"seats": "sections", "rows": "rowLengths", "seatsPerRow": "rowLengths", "best": "seats",
                "maxPrice": "seats"}


def test_every_whole_number_of_a_body_has_the_limits_of_the_program(sale, admin):
    wrong = []
    for path, examples in bodies(*sale).items():
        method = method_of(path)
        schema = openapi.body_schema(openapi.operation_of(method, path))
        for inner_schema, inner, put in (each for example in examples
                                         for each in objects_in(schema, example)):
            def refused(name, value, put=put, inner=inner, call=(method, path)):
                # The unknown field comes last, so a number in its limits is refused without an effect.
                answer = admin.call(*call, put({**inner, name: value, "unknown": 1}))
                assert answer.code == "invalid-field", (call, name, answer)
                return answer.json["field"].split(".")[-1] == name
            for name, least, most in whole_numbers(inner_schema):
                if name in WITHOUT_MAXIMUM or ALTERNATIVES.get(name) in inner:
                    continue
                if least is None or most is None:
                    wrong.append(f"{method} {path} {name}: no limits in the document")
                elif [refused(name, value) for value in (least - 1, least, most, most + 1)
                      ] != [True, False, False, True]:
                    wrong.append(f"{method} {path} {name}: not {least}…{most}")
    assert wrong == []


# Bodies that are streamed object by object with parsers covered above, or signed.
STREAMED = {("POST", path) for path in (
    "/api/v1/concerts/{id}/schedules/import", "/api/v1/admin/soldouts", "/api/v1/payments/callback")}


def test_every_whole_number_of_a_query_has_the_limits_of_the_program(sale, admin):
    concert, schedule, _ = sale
    wrong = []
    for (method, path), operation in openapi.operations().items():
        at = path.replace("{id}", str(schedule if "/schedules/{id}" in path else concert))
        at = at.replace("{date}", "2099-05-01")
        for each in operation["parameters"]:
            schema = openapi.flat(each["schema"])
            if method != "GET" or path.endswith("/stream") or each["in"] != "query" or schema.get(
                    "type") != "integer":
                continue

            def refused(value, at=at, name=each["name"]):
                answer = admin.call("GET", f"{at}?{name}={value}", headers={"X-User-Id": "ann"})
                return answer.code == "invalid-field" and answer.json["detail"].find(f"({name}: ") > 0
            least, most = schema.get("minimum"), schema.get("maximum")
            wanted = {"text": True}
            wanted |= {} if least is None else {least - 1: True, least: False}
            wanted |= {} if most is None else {most: False, most + 1: True}
            found = {value: refused(value) for value in wanted}
            if least is None or found != wanted:
                wrong.append(f"{path} {each['name']}: {found}, not {wanted}")
    assert wrong == []


def test_every_parameter_of_a_query_is_described_and_every_choice_of_one_is_taken(client):
    # plain, lang, cancel and why belong to pages, concertDate to a body.
    read = set(re.findall(r'(?:Query|Day|number|Number)\("(\w+)"',
                          sources())) - {"plain", "lang", "cancel", "why", "concertDate"}
    described = {
        each["name"] for operation in openapi.operations().values() for each in operation["parameters"]
        if each["in"] == "query"
    }
    assert read - described == set()
    windows = ["daily", "weekly", "monthly", "all"]
    for (method, path), operation in openapi.operations().items():
        choices = next(
            (each["schema"]["enum"] for each in operation["parameters"] if each["name"] == "window"), None)
        if method == "GET" and choices and "{id}" not in path:
            taken = [
                window for window in windows
                if client.get(f"{path.format(date='2099-05-01')}?window={window}").status != 400
            ]
            assert taken == choices, path
