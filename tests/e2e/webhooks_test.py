"""Webhooks: endpoints, signatures that the package `standardwebhooks` verifies, order, retries, refused
targets."""
import base64
import contextlib
import datetime
import json
import pathlib
import ssl
import subprocess
import threading
import time

import back_ends
import harness
import openapi
import pytest
import webhook_receiver
from harness import until

HOOKS = "/api/v1/admin/webhooks"
NODE = harness.ROOT / "web/node_modules/.bin/node"
VERIFIER = harness.ROOT / "tests/support/verify_webhooks.mjs"
ALLOWED = ("--webhooks-allow-private", "true")


@pytest.fixture(scope="module", params=["embedded", "mariadb"])
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"webhooks-{request.param}")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(harness.Server(folder / "data", *flags, *ALLOWED))


@pytest.fixture(scope="module")
def retried(server):
    """An endpoint that refuses its first event. The pause passes while the other tests run."""
    times = []

    def answer(_):
        times.append(time.monotonic())
        return 500 if len(times) == 1 else 204

    refusing = webhook_receiver.Receiver(answer)
    admin = server.admin()
    with endpoint(admin, refusing.url(), types=["webhook.test"]) as hook:
        for _ in range(2):
            call(admin, "POST", f"/{hook['id']}/test", status=202)
        pending = until(lambda: call(admin, "GET", f"/{hook['id']}/deliveries")["deliveries"])[0]
        shown = call(admin, "GET", f"/{hook['id']}")
        yield refusing, hook, times, pending, shown
    refusing.close()


@pytest.fixture
def receiver():
    made = webhook_receiver.Receiver()
    yield made
    made.close()


def call(admin, method, path, body=None, status=200):
    """A call whose answer is checked by openapi.yaml."""
    answer = admin.call(method, HOOKS + path, body)
    assert answer.status == status, answer
    key = openapi.operation_of(method, HOOKS + path)
    assert openapi.faults_of_answer(key, answer) == []
    return answer.json if answer.text else None


@contextlib.contextmanager
def endpoint(admin, url, **fields):
    made = call(admin, "POST", "", {"url": url, "types": ["concert.*"], "ratePerSecond": 1000, **fields}, 201)
    yield made
    admin.call("DELETE", f"{HOOKS}/{made['id']}")


def verified(*webhooks):
    """What the package says of (received, secret) pairs: True, or why it refuses."""
    asked = [{
        "secret": secret, "body": each["body"],
        "headers": {name: each[name] for name in webhook_receiver.HEADERS if name in each}
    } for each, secret in webhooks]
    done = subprocess.run([NODE, VERIFIER], input=json.dumps(asked), capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("retried")
def test_endpoint_gets_its_types_in_the_order_of_the_feed(admin, receiver):
    with endpoint(admin, receiver.url(), types=["concert.created", "concert.opened"]) as hook:
        assert hook["secret"].startswith("whsec_") and len(base64.b64decode(hook["secret"][6:])) == 32
        concerts = [harness.create_concert(admin, seats=1, room="none")["id"] for _ in range(5)]
        until(lambda: len(receiver.events()) == 10)
        ids = [event for event, _ in receiver.events()]
        assert ids == sorted(ids)
        assert [kind for _, kind in receiver.events()] == ["concert.created", "concert.opened"] * 5
        bodies = [json.loads(each["body"]) for each in receiver.received]
        assert [body["data"]["concertId"] for body in bodies[::2]] == concerts
        feed = admin.get(f"/api/v1/admin/events?after={ids[0] - 1}&limit=1").json["events"][0]
        assert bodies[0] == {"type": feed["type"], "timestamp": feed["time"], "data": feed["data"]}
        assert set(verified(*((each, hook["secret"]) for each in receiver.received))) == {True}
        shown = call(admin, "GET", f"/{hook['id']}")
        assert "secret" not in shown and "secret" not in call(admin, "GET", "")["webhooks"][0]
        until(lambda: call(admin, "GET", f"/{hook['id']}")["after"] >= ids[-1])
        deliveries = call(admin, "GET", f"/{hook['id']}/deliveries")["deliveries"]
        assert [each["eventId"] for each in deliveries] == ids[::-1]
        assert {each["status"] for each in deliveries} == {"delivered"}
    assert admin.get(f"{HOOKS}/{hook['id']}").code == "webhook-not-found"
    actions = {row["action"] for row in admin.get("/api/v1/admin/audit?limit=500").json["entries"]}
    assert {"webhook.create", "webhook.remove"} <= actions


def wrong_signatures(good, secret, other):
    """Twenty webhooks that are not authentic."""
    def changed(**fields):
        return {**good, **{name.replace("_", "-"): value for name, value in fields.items()}}, secret

    signature = good["webhook-signature"]
    late, early = (str(int(good["webhook-timestamp"]) + seconds) for seconds in (3600, -3600))
    raw = bytearray(base64.b64decode(signature[3:]))
    raw[0] ^= 1
    return [
        changed(body=good["body"] + " "), changed(body=good["body"].replace("concert", "Concert", 1)),
        changed(body="{}"), changed(body=""),
        changed(webhook_id="evt_0"), changed(webhook_id=good["webhook-id"] + "0"), changed(webhook_id=""),
        changed(webhook_timestamp=str(int(good["webhook-timestamp"]) + 1)), changed(webhook_timestamp=late),
        changed(webhook_timestamp=early), changed(webhook_timestamp="now"), changed(webhook_timestamp=""),
        changed(webhook_signature=""), changed(webhook_signature=signature[3:]),
        changed(webhook_signature="v2" + signature[2:]),
        changed(webhook_signature="v1," + base64.b64encode(raw).decode()),
        changed(webhook_signature=signature[:-6]), changed(webhook_signature="v1,"),
        (good, other), ({name: value for name, value in good.items() if name != "webhook-id"}, secret)
    ]


def test_package_refuses_wrong_signatures_and_accepts_both_secrets_of_a_rotation(admin, receiver):
    def next_signed_by(secrets):
        """A webhook with so many signatures; the sender learns of a rotation within its lease."""
        harness.create_concert(admin, opened=False, seats=1, room="none")
        last = receiver.received[-1]
        return last["webhook-signature"].count("v1,") == secrets and last

    with endpoint(admin, receiver.url()) as hook:
        harness.create_concert(admin, opened=False, seats=1, room="none")
        first = until(lambda: receiver.received and receiver.received[0])
        rotated = call(admin, "POST", f"/{hook['id']}/rotate-secret", {"overlapSeconds": 3600})
        assert rotated["secret"] != hook["secret"] and rotated["previousSecretUntil"]
        both = until(lambda: next_signed_by(2), every=0.2)
        last = call(admin, "POST", f"/{hook['id']}/rotate-secret", {"overlapSeconds": 0})
        one = until(lambda: next_signed_by(1), every=0.2)
    table = wrong_signatures(first, hook["secret"], rotated["secret"])
    assert len(table) == 20
    old, new, newest = hook["secret"], rotated["secret"], last["secret"]
    right = [(first, old), (both, old), (both, new), (one, newest)]
    said = verified(*right, (one, old), (one, new), *table)
    assert said[:len(right)] == [True] * len(right)
    assert True not in said[len(right):]


def test_410_disables_and_an_operator_resumes_where_it_stopped(admin, receiver):
    receiver.answer = lambda _: 410
    with endpoint(admin, receiver.url()) as hook:
        first, second = (harness.create_concert(admin, opened=False, seats=1, room="none")["id"]
                         for _ in range(2))
        until(lambda: call(admin, "GET", f"/{hook['id']}")["status"] == "disabled")
        gone = call(admin, "GET", f"/{hook['id']}")
        assert gone["disabledReason"] == "gone" and len(receiver.received) == 1
        for path in ("/test", f"/deliveries/{gone['after'] + 1}/resend"):
            assert admin.post(f"{HOOKS}/{hook['id']}{path}").code == "webhook-disabled"
        receiver.answer = lambda _: 204
        assert call(admin, "PATCH", f"/{hook['id']}", {"status": "active"})["disabledReason"] is None
        until(lambda: len(receiver.received) == 3)
        told = [json.loads(each["body"])["data"]["concertId"] for each in receiver.received]
        assert told == [first, first, second]
        actions = [row["action"] for row in admin.get("/api/v1/admin/audit?limit=20").json["entries"]]
        assert "webhook.disable" in actions


def test_redirect_is_not_followed(admin, receiver):
    elsewhere = 302, {"Location": receiver.url("/other")}
    receiver.answer = lambda each: elsewhere if each["path"] == "/hook" else 204
    with endpoint(admin, receiver.url()) as hook:
        harness.create_concert(admin, opened=False, seats=1, room="none")
        until(lambda: call(admin, "GET", f"/{hook['id']}")["failedAttempts"] >= 1)
        assert receiver.events("/other") == []


def test_test_event_goes_to_one_endpoint_and_a_delivery_is_resent_with_its_id(admin, receiver):
    with endpoint(admin, receiver.url("/a")) as one, endpoint(admin, receiver.url("/b"), types=["*"]):
        sent = call(admin, "POST", f"/{one['id']}/test", status=202)
        until(lambda: receiver.events("/a"))
        assert receiver.events("/a") == [(sent["eventId"], "webhook.test")]
        path = f"/{one['id']}/deliveries/{sent['eventId']}/resend"
        call(admin, "POST", path, status=202)
        until(lambda: len(receiver.events("/a")) == 2)
        assert receiver.events("/a")[1] == receiver.events("/a")[0]
        assert receiver.at("/a")[0]["body"] == receiver.at("/a")[1]["body"]
        until(lambda: call(admin, "GET", f"/{one['id']}/deliveries")["deliveries"][0]["attempts"] == 2)
        until(lambda: receiver.events("/b"))
        assert "webhook.test" not in {kind for _, kind in receiver.events("/b")}
        assert admin.post(f"{HOOKS}/{one['id']}/deliveries/999999999/resend").code == "delivery-not-found"


def test_resend_answered_410_disables(admin, receiver):
    with endpoint(admin, receiver.url()) as hook:
        harness.create_concert(admin, opened=False, seats=1, room="none")
        until(receiver.events)
        receiver.answer = lambda _: 410
        call(admin, "POST", f"/{hook['id']}/deliveries/{receiver.events()[0][0]}/resend", status=202)
        until(lambda: call(admin, "GET", f"/{hook['id']}")["disabledReason"] == "gone")


def test_only_events_of_the_endpoint_are_resent(admin, receiver):
    waitlist = {"types": ["concert.opened", "waitlist.*"]}
    with endpoint(admin, receiver.url("/a")) as one, endpoint(admin, receiver.url("/b"), **waitlist) as other:
        harness.create_concert(admin, opened=False, seats=1, room="none")
        until(lambda: receiver.events("/a"))
        created = receiver.events("/a")[0]
        tested = call(admin, "POST", f"/{one['id']}/test", status=202)["eventId"]
        for event in (created[0], tested):
            refused = admin.post(f"{HOOKS}/{other['id']}/deliveries/{event}/resend")
            assert (refused.status, refused.code) == (404, "delivery-not-found")
        for event in (created[0], tested):
            call(admin, "POST", f"/{one['id']}/deliveries/{event}/resend", status=202)
        until(lambda: len(receiver.events("/a")) == 4)
        assert admin.post(f"{HOOKS}/999999/deliveries/{tested}/resend").code == "webhook-not-found"


def test_pace_is_kept(admin, receiver):
    times = []

    def answer(_):
        times.append(time.monotonic())
        return 204

    receiver.answer = answer
    with endpoint(admin, receiver.url(), ratePerSecond=5):
        begin = time.monotonic()  # not the first arrival: a busy machine may record it late
        for _ in range(6):
            harness.create_concert(admin, opened=False, seats=1, room="none")
        until(lambda: len(times) == 6)
        assert times[5] - begin >= 5 / 5 - 0.01


def test_silent_receiver_costs_no_answer_and_other_endpoints_nothing(admin, client, receiver):
    release = threading.Event()
    receiver.answer = lambda each: release.wait(30) and 204 or 204 if each["path"] == "/silent" else 204
    with endpoint(admin, receiver.url("/silent")), endpoint(admin, receiver.url("/hook")):
        begin = time.monotonic()
        for _ in range(5):
            harness.create_concert(admin, opened=False, seats=1, room="none")
        until(lambda: len(receiver.events()) == 5, seconds=14)
        assert time.monotonic() - begin < 14, "less than the time limit of an attempt"
        assert len(receiver.events("/silent")) <= 1, "one attempt in flight"
        assert harness.metric(client, 'maejin_webhook_attempts_total{outcome="delivered"}') >= 5
        release.set()
        until(lambda: len(receiver.events("/silent")) == 5)


def test_counts_of_a_room_arrive_while_they_change_and_have_no_place_in_the_feed(admin, client, receiver):
    room = harness.create_concert(admin, seats=1)["id"]
    with endpoint(admin, receiver.url(), types=["room.progress"]) as hook:
        for number in range(3):
            harness.join(client, room, f"counted-{number}")

        def counts():
            bodies = [json.loads(each["body"]) for each in receiver.at("/hook")]
            return [body["data"] for body in bodies if body["data"]["room"] == str(room)]

        until(lambda: counts() and counts()[-1]["waiting"] + counts()[-1]["entered"] == 3)
        sent = receiver.received[-1]
        assert sent["webhook-id"].startswith("evt_room-")
        assert json.loads(sent["body"])["type"] == "room.progress"
        assert verified((sent, hook["secret"])) == [True]
        assert call(admin, "GET", f"/{hook['id']}/deliveries")["deliveries"] == []
        kept = admin.get("/api/v1/admin/events?types=room.progress&limit=1000").json["events"]
        assert kept == [], "not stored"


def test_invalid_fields_are_refused_by_name(admin):
    good = {"url": "https://hooks.example/", "types": ["*"]}
    for change, field in [({"url": None}, "url"), ({"url": "ftp://hooks.example/"}, "url"),
                          ({"url": "https://u:p@hooks.example/"}, "url"), ({"types": ["nonsense"]}, "types"),
                          ({"types": "*"}, "types"), ({"types": [1]}, "types"),
                          ({"ratePerSecond": 0}, "ratePerSecond"),
                          ({"ratePerSecond": 10001}, "ratePerSecond"),
                          ({"description": "x" * 501}, "description"), ({"after": 10**15}, "after"),
                          ({"secret": "whsec_x"}, "secret")]:
        answer = admin.post(HOOKS, {**good, **change})
        assert (answer.code, answer.json.get("field")) == ("invalid-field", field), (change, answer)
    with endpoint(admin, "https://hooks.example/") as hook:
        for change in ({"status": "gone"}, {"types": []}, {"unknown": 1}, {"after": 10**15}):
            answer = admin.call("PATCH", f"{HOOKS}/{hook['id']}", change)
            assert answer.code == "invalid-field", (change, answer)
        changed = call(admin, "PATCH", f"/{hook['id']}",
                       {"types": ["room.*"], "ratePerSecond": 7, "description": "crm"})
        assert (changed["types"], changed["ratePerSecond"], changed["description"]) == (["room.*"], 7, "crm")


def test_webhooks_need_the_admin_key(client):
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/1"), ("PATCH", "/1"), ("DELETE", "/1"),
                         ("POST", "/1/test"), ("POST", "/1/rotate-secret"), ("GET", "/1/deliveries"),
                         ("POST", "/1/deliveries/1/resend")):
        assert client.call(method, HOOKS + path).status == 401, (method, path)


def test_failed_event_is_retried_after_five_seconds_and_the_others_wait_for_it(admin, retried):
    refusing, hook, times, pending, shown = retried
    assert (pending["status"], pending["attempts"], pending["lastStatusCode"]) == ("pending", 1, 500)
    assert pending["answer"] == "no"
    planned = datetime.datetime.fromisoformat(pending["nextAttemptAt"].replace("Z", "+00:00"))
    attempted = datetime.datetime.fromisoformat(pending["attemptedAt"].replace("Z", "+00:00"))
    assert (planned - attempted).total_seconds() >= 4.9
    assert shown["failingSince"] and shown["failedAttempts"] == 1 and shown["status"] == "active"
    until(lambda: len(refusing.events()) == 3)
    assert times[1] - times[0] >= 4.9
    ids = [event for event, _ in refusing.events()]
    assert ids[0] == ids[1] < ids[2], "the same id, and nothing in between"
    until(lambda: call(admin, "GET", f"/{hook['id']}")["failingSince"] is None)


# Targets. These tests have servers of their own, without webhooks.allow-private.

REFUSED = [
    "127.0.0.1", "localhost", "127.1", "0.0.0.0", "0", "2130706433", "0x7f000001", "017700000001",
    "0177.0.0.1", "0x7f.0.0.1", "10.0.0.1", "10.1", "167772161", "172.16.0.1", "172.31.255.255",
    "192.168.1.1",
    "0xc0a80101",
    "100.64.0.1", "169.254.169.254", "2852039166", "0251.0376.0251.0376", "198.18.0.1", "224.0.0.1",
    "255.255.255.255", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]",
    "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[fc00::1]", "[fd00::1]", "[fe80::1]", "[2002:7f00:1::]"
]
# The first look-up of a name finds a public address, each later one the loopback address.
REBINDING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <string.h>
typedef int (*lookup)(const char*, const char*, const struct addrinfo*, struct addrinfo**);
int getaddrinfo(const char* name, const char* service, const struct addrinfo* hints,
                struct addrinfo** found) {
  static atomic_int asked;
  lookup real = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
  if (name && strcmp(name, "rebind.example") == 0) name = asked++ == 0 ? "1.1.1.1" : "127.0.0.1";
  return real(name, service, hints, found);
}
"""


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """A server without webhooks.allow-private, whose look-ups rebind; and an endpoint from before, whose
    receiver was reachable."""
    folder = tmp_path_factory.mktemp("strict")
    library = folder / "rebinding.so"
    (folder / "rebinding.c").write_text(REBINDING, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "rebinding.c", "-ldl"], check=True)
    reached = webhook_receiver.Receiver()
    with harness.Server(folder / "data", *ALLOWED) as server:
        admin = server.admin()
        hook = call(admin, "POST", "", {"url": reached.url(), "types": ["concert.*"]}, 201)
        harness.create_concert(admin, opened=False, seats=1, room="none")
        until(lambda: len(reached.events()) == 1)  # control: it is reachable
    with harness.Server(folder / "data", env={"LD_PRELOAD": str(library)}) as server:
        yield server.admin(), hook, reached
    reached.close()


def test_private_targets_are_refused_in_every_form(strict):
    admin, _, _ = strict
    for host in REFUSED:
        for scheme in ("http", "https"):
            answer = admin.post(HOOKS, {"url": f"{scheme}://{host}:8080/x", "types": ["*"]})
            assert (answer.status, answer.code) == (400, "target-refused"), (host, answer)
    for host in ("1.1.1.1", "[2606:4700::1111]", "unknown.invalid"):
        with endpoint(admin, f"http://{host}/", types=["webhook.test"]) as hook:
            answer = admin.call("PATCH", f"{HOOKS}/{hook['id']}", {"url": "http://127.0.0.1/"})
            assert answer.code == "target-refused"


def refused_deliveries(admin, hook):
    found = call(admin, "GET", f"/{hook['id']}/deliveries")["deliveries"]
    return [each for each in found if each["error"] == "target-refused" and each["lastStatusCode"] is None]


def test_target_is_checked_again_when_the_connection_is_made(strict):
    admin, hook, reached = strict
    url = f"http://rebind.example:{reached.port}/rebound"
    rebound = call(admin, "POST", "", {"url": url, "types": ["concert.*"]}, 201)
    harness.create_concert(admin, opened=False, seats=1, room="none")
    until(lambda: refused_deliveries(admin, hook) and refused_deliveries(admin, rebound))
    assert len(reached.received) == 1, "nothing arrived since"


def certificate(folder):
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
               "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
               folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context, pathlib.Path(folder / "cert.pem")


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A receiver with its own certificate, and a server that trusts it."""
    folder = tmp_path_factory.mktemp("authority")
    context, file = certificate(folder)
    signed = webhook_receiver.Receiver(tls=context)
    with harness.Server(folder / "data", *ALLOWED, "--webhooks-ca-file", file) as server:
        yield server, signed
    signed.close()


def test_certificate_must_be_signed_by_a_trusted_authority(server, authority):
    trusting, signed = authority
    before = len(signed.received)
    for each, trusted in ((server, False), (trusting, True)):
        admin = each.admin()
        with endpoint(admin, signed.url()) as hook:
            harness.create_concert(admin, opened=False, seats=1, room="none")
            last = until(lambda: call(admin, "GET", f"/{hook['id']}/deliveries")["deliveries"])[0]
            assert (last["status"] == "delivered") == trusted, last
            assert (len(signed.received) > before) == trusted
