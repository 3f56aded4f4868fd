"""Operators' keys and their roles: every role on every operation of openapi.yaml, and the life of a key in
every mode."""
import contextlib
import datetime
import json
import re

import back_ends
import harness
import openapi
import pytest

ROLES = ["viewer", "box-office", "operator", "owner"]


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def create(admin, name, role, **more):
    made = admin.post("/api/v1/admin/keys", {"name": name, "role": role, **more})
    assert made.status == 201, made
    return made.json


def in_seconds(seconds):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("roles") / "data") as running:
        yield running


def admin_operations():
    return {
        key: each["x-least-role"]
        for key, each in openapi.operations().items() if each.get("security") == [{"admin": []}]
    }


def test_table_of_the_program_equals_openapi():
    code, out, err = harness.run("routes", "--json")
    assert code == 0, err
    unnamed = lambda path: re.sub(r"\{\w+\}", "{}", path)
    program = {(each["method"], unnamed(each["path"])): each["leastRole"]
               for each in json.loads(out) if each["admin"]}
    documented = {(method, unnamed(path)): role for (method, path), role in admin_operations().items()}
    assert program == documented, "add the route to src/http/admin/route_roles.cpp and to openapi.yaml"


def test_every_role_on_every_operation(server):
    """Paths name things that do not exist, and bodies are empty: an accepted key gets any answer but 401 and
    403."""
    keys = {role: create(server.admin(), role, role)["key"] for role in ROLES}
    client = server.client()
    wrong = []
    for (method, path), least in sorted(admin_operations().items()):
        target = re.sub(r"\{\w+\}", "999999", path)
        body = None if method == "GET" else {}
        for role in ROLES:
            answer = client.call(method, target, body, bearer(keys[role]))
            expected_refusal = ROLES.index(role) < ROLES.index(least)
            if (answer.status == 403) != expected_refusal or answer.status == 401 or answer.status >= 500:
                wrong.append((method, path, role, answer))
            if expected_refusal and answer.code != "forbidden":
                wrong.append((method, path, role, answer))
        if client.call(method, target, body).status != 401:
            wrong.append((method, path, "no key"))
    assert server.admin().call("DELETE", "/api/v1/admin/maintenance").status < 300, "the walk began it"
    assert not wrong
    metrics = client.get("/metrics").text
    assert int(re.search(r"^maejin_admin_forbidden_total (\d+)", metrics, re.M)[1]) > 0


def test_public_operation_ignores_the_role(server):
    key = create(server.admin(), "reader", "viewer")["key"]
    assert server.client(**bearer(key)).get("/api/v1/concerts").status == 200


def test_refusal_names_the_least_role_in_both_languages(server):
    key = create(server.admin(), "reader", "viewer")["key"]
    client = server.client(**bearer(key))
    english = client.post("/api/v1/concerts", {})
    assert (english.status, english.code) == (403, "forbidden")
    assert "operator or higher" in english.json["detail"]
    korean = client.call("POST", "/api/v1/concerts", {}, {"Accept-Language": "ko"})
    assert "권한" in korean.json["detail"] and "operator" in korean.json["detail"]


@pytest.mark.parametrize("body,field", [
    ({"role": "viewer"}, "name"),
    ({"name": "", "role": "viewer"}, "name"),
    ({"name": "x" * 65, "role": "viewer"}, "name"),
    ({"name": "a\nb", "role": "viewer"}, "name"),
    ({"name": "a"}, "role"),
    ({"name": "a", "role": "root"}, "role"),
    ({"name": "a", "role": "viewer", "expiresAt": "2020-01-01T00:00:00Z"}, "expiresAt"),
    ({"name": "a", "role": "viewer", "expiresAt": "soon"}, "expiresAt"),
    ({"name": "a", "role": "viewer", "key": "mine"}, "key"),
])
def test_invalid_key_is_refused_by_field(server, body, field):
    answer = server.admin().post("/api/v1/admin/keys", body)
    assert (answer.status, answer.code) == (400, "invalid-field") and answer.json["field"] == field, answer


def test_unknown_key_to_delete_is_404(server):
    assert server.admin().call("DELETE", "/api/v1/admin/keys/0123456789abcdef").status == 404


def test_key_is_in_no_file_of_the_data_folder(server):
    key = create(server.admin(), "secret", "owner")["key"]
    for file in server.data.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def actors_of(admin):
    return {row["action"]: row["actor"] for row in admin.get("/api/v1/admin/audit").json["entries"]}


@pytest.mark.parametrize("back_end", back_ends.NAMES)
def test_life_of_a_key(tmp_path_factory, back_end):
    folder = tmp_path_factory.mktemp("keys")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(back_end, folder, parts)
        with harness.Server(folder / "data", *flags) as server:
            admin = server.admin()
            desk = create(admin, "Front desk", "operator")
            long = create(admin, "Long", "viewer", expiresAt=in_seconds(3600))
            brief = create(admin, "Brief", "viewer", expiresAt=in_seconds(10))
            listed = {each["name"]: each for each in admin.get("/api/v1/admin/keys").json["keys"]}
            assert set(listed) == {"Front desk", "Long", "Brief"
                                   } and listed["Front desk"]["expiresAt"] is None
            assert listed["Front desk"]["role"] == "operator" and listed["Front desk"]["id"] == desk["id"]
            concert = harness.create_concert(server.client(**bearer(desk["key"])), seats=2)
            assert server.client(**bearer(desk["key"])).call("PUT", f"/api/v1/rooms/{concert['id']}",
                                                             {"capacity": 5}).status == 200
            # Rooms on Redis write their audit row after the answer.
            actors = harness.until(lambda: (rows := actors_of(admin)) and "room.configure" in rows and rows)
            named = f"Front desk ({desk['id']})"
            assert actors["concert.create"] == actors["room.configure"] == named, "without an address"
            assert actors["key.create"] == "admin"
            assert server.client(**bearer(long["key"])).get("/api/v1/admin/audit").status == 200
            ended = server.client(**bearer(brief["key"]))
            harness.until(lambda: ended.get("/api/v1/admin/audit").status == 401)
            if back_end == "mariadb":
                deleted_key_ends_on_another_node(folder, flags, server)
        with harness.Server(folder / "data", *flags) as server:
            assert server.client(**bearer(desk["key"])).get("/api/v1/rooms").status == 200, "after a restart"
            gone = server.admin().call("DELETE", f"/api/v1/admin/keys/{desk['id']}")
            assert gone.status == 204
            assert server.client(**bearer(desk["key"])).get("/api/v1/rooms").status == 401
            newest = server.admin().get("/api/v1/admin/audit?limit=1").json["entries"][0]
            assert newest["action"] == "key.delete"
        with harness.Server(folder / "data", *flags) as server:
            assert server.client(**bearer(desk["key"])).get("/api/v1/rooms").status == 401, "after a restart"


def deleted_key_ends_on_another_node(folder, flags, server):
    with harness.Server(folder / "other", *flags, "--admin-key-file", server.data / "admin.key") as other:
        made = create(server.admin(), "Everywhere", "viewer")
        harness.until(lambda: other.client(**bearer(made["key"])).get("/api/v1/rooms").status == 200)
        assert server.admin().call("DELETE", f"/api/v1/admin/keys/{made['id']}").status == 204
        assert server.client(**bearer(made["key"])).get("/api/v1/rooms").status == 401
        harness.until(lambda: other.client(**bearer(made["key"])).get("/api/v1/rooms").status == 401)
