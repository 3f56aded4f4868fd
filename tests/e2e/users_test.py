"""User identity: the operator's signed user tokens, or trusted names."""
import base64
import hashlib
import hmac
import json
import time

import harness
import pytest

SECRET = b"0123456789abcdef0123456789abcdef"
PATH = "/api/v1/rooms/main/entries"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(user, secret=SECRET, algorithm="HS256", **claims):
    head = encoded(json.dumps({"alg": algorithm, "typ": "JWT"}).encode())
    body = encoded(json.dumps({"sub": user, "exp": int(time.time()) + 600, **claims}).encode())
    signature = encoded(hmac.new(secret, head + b"." + body, hashlib.sha256).digest())
    return (head + b"." + body + b"." + signature).decode()


def bearer(text):
    return {"Authorization": f"Bearer {text}"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("users")
    (folder / "secret").write_bytes(SECRET + b"\n")
    with harness.Server(folder / "data", "--auth-users", "signed", "--auth-key-file",
                        folder / "secret") as running:
        yield running


def test_signed_token_names_the_user(client):
    joined = client.post(PATH, {}, bearer(token("ann")))
    assert joined.status == 201, joined
    same = client.post(PATH, {"userId": "ann"}, bearer(token("ann")))
    assert same.status == 200 and same.json["token"] == joined.json["token"]


def test_unsigned_user_name_is_refused_if_users_are_signed(client):
    refused = client.post(PATH, {"userId": "ann"})
    assert (refused.status, refused.code) == (401, "unauthorized")
    refused = client.post(PATH, {}, {"X-User-Id": "ann"})
    assert (refused.status, refused.code) == (401, "unauthorized")


def test_signed_user_cannot_act_for_another_user(client):
    refused = client.post(PATH, {"userId": "ben"}, bearer(token("ann")))
    assert (refused.status, refused.code) == (403, "forbidden")


@pytest.mark.parametrize("bad, why", [
    (token("ann", secret=b"another secret of thirty-two bytes!"), "signature is wrong"),
    (token("ann", algorithm="none"), "not configured"), (token("ann", exp=1), "has expired"),
    (token("ann")[:-3], "signature is wrong"), ("nonsense", "not a JWT"),
    (token("ann", nbf=int(time.time()) + 3600), "not valid yet"), (token("ann", exp=None), "not a JWT")])
def test_forged_expired_and_broken_tokens_are_refused(client, bad, why):
    refused = client.post(PATH, {}, bearer(bad))
    assert (refused.status, refused.code) == (401, "unauthorized")
    assert why in refused.json["detail"]


def test_a_token_without_an_expiry_is_refused(client):
    head, _, signature = token("ann").split(".")
    body = encoded(json.dumps({"sub": "ann"}).encode()).decode()
    signature = encoded(hmac.new(SECRET, f"{head}.{body}".encode(), hashlib.sha256).digest()).decode()
    refused = client.post(PATH, {}, bearer(f"{head}.{body}.{signature}"))
    assert (refused.status, refused.code) == (401, "unauthorized") and "exp" in refused.json["detail"]


def test_a_copied_queue_token_neither_enters_nor_holds(client, admin):
    concert = harness.create_concert(admin, seats=3)
    entries, enter = f"/api/v1/rooms/{concert['id']}/entries", f"/api/v1/rooms/{concert['id']}/enter"
    ann, bob = bearer(token("ann")), bearer(token("bob"))
    copied = {"X-Queue-Token": client.post(entries, {}, ann).json["token"]}
    assert client.post(enter, {}, copied).status == 401
    assert client.post(enter, {}, {**copied, **bob}).status in (401, 403, 404)
    assert client.post(enter, {}, {**copied, **ann}).status == 200
    body = {"scheduleId": concert["schedules"][0]["id"], "seats": [1]}
    for key in ({}, {"Idempotency-Key": "k"}):
        assert client.post("/api/v1/reservations", body, {**copied, **key}).status == 401
        assert client.post("/api/v1/reservations", body, {**copied, **bob, **key}).code == "pass-required"
    assert client.post("/api/v1/reservations", body, {**copied, **ann}).status == 201


def test_issuer_and_audience_are_checked_where_they_are_set(tmp_path):
    (tmp_path / "secret").write_bytes(SECRET)
    flags = ("--auth-users", "signed", "--auth-key-file", tmp_path / "secret")
    expected = ("--auth-issuer", "shop", "--auth-audience", "tickets")
    with harness.Server(tmp_path / "data", *flags, *expected) as server:
        client = server.client()
        assert client.post(PATH, {}, bearer(token("ann", iss="shop", aud=["news", "tickets"]))).status == 201
        for claims, why in (({}, "iss"), ({"iss": "other",
                                           "aud": "tickets"}, "iss"), ({"iss": "shop",
                                                                        "aud": "news"}, "aud")):
            refused = client.post(PATH, {}, bearer(token("ann", **claims)))
            assert refused.status == 401 and f"({why})" in refused.json["detail"], (claims, refused)
    for more, word in (((), "auth.issuer and auth.audience"), (expected[:2], "without auth.audience"),
                       (expected, "with issuer and audience")):
        _, out, _ = harness.run("doctor", "--data", tmp_path / "data", *flags, *more)
        assert word in out, out


def test_a_key_that_is_none_stops_the_start_with_a_sentence(tmp_path):
    (tmp_path / "short").write_text("short\n")
    code, _, err = harness.run("serve", "--data", tmp_path / "d", "--listen", "127.0.0.1:0", "--auth-users",
                               "signed", "--auth-key-file", tmp_path / "short")
    assert code == 1 and "short" in err
