"""openapi.yaml describes every route of the running server, and no other."""
import json
import re

import harness
import yaml

# What a browser shows is no API.
PAGES = re.compile(r"/|/(events|rankings|docs|console|assets|favicon).*")
METHODS = {"get", "put", "post", "delete", "patch"}


def test_every_route_is_described_and_every_description_has_a_route():
    code, out, err = harness.run("routes", "--json")
    assert code == 0, err
    routes = {(route["method"], route["path"]) for route in json.loads(out) if not PAGES.fullmatch(route["path"])}
    document = yaml.safe_load((harness.ROOT / "openapi.yaml").read_text(encoding="utf-8"))
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item
                 if method in METHODS and not PAGES.fullmatch(path)}
    assert sorted(routes - described) == [], "routes that openapi.yaml does not describe"
    assert sorted(described - routes) == [], "descriptions without a route"


def test_operators_routes_ask_for_the_admin_key_in_the_document_too():
    admin = {(r["method"].lower(), r["path"]) for r in json.loads(harness.run("routes", "--json")[1]) if r["admin"]}
    document = yaml.safe_load((harness.ROOT / "openapi.yaml").read_text(encoding="utf-8"))
    described = {(method, path) for path, item in document["paths"].items() for method, operation in item.items()
                 if method in METHODS and {"admin": []} in operation.get("security", [])}
    assert admin == described


def test_the_server_serves_its_own_description(client):
    answer = client.get("/openapi.yaml")
    assert answer.status == 200
    assert yaml.safe_load(answer.text)["openapi"].startswith("3.1")
