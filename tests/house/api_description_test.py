"""openapi.yaml is a well-formed OpenAPI 3.1 document whose references all resolve."""
import re

import house
import yaml

METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}


def document():
    return yaml.safe_load(house.text("openapi.yaml"))


def nodes(value, where="#"):
    yield where, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for name, child in items:
        yield from nodes(child, f"{where}/{name}")


def operations():
    return [(path, method, op) for path, item in document()["paths"].items() for method, op in item.items()
            if method in METHODS]


def test_document_is_openapi_3_1_with_title_and_version():
    head = document()
    assert head["openapi"].startswith("3.1.")
    assert head["info"]["title"] == "maejin" and head["info"]["version"]


def test_every_reference_resolves():
    top = document()
    for where, node in nodes(top):
        if isinstance(node, dict) and "$ref" in node:
            target = top
            for step in node["$ref"].removeprefix("#/").split("/"):
                assert step in target, f"{where}: {node['$ref']} does not resolve"
                target = target[step]


def test_every_operation_has_unique_id_summary_tag_and_responses():
    names = [op["operationId"] for _, _, op in operations()]
    assert len(names) == len(set(names))
    known = {tag["name"] for tag in document()["tags"]}
    for path, method, op in operations():
        assert op.get("summary") and op.get("responses"), f"{method} {path}"
        assert set(op["tags"]) <= known, f"{method} {path}"


def test_every_path_placeholder_is_a_parameter():
    top = document()
    for path, item in top["paths"].items():
        parameters = [top["components"]["parameters"][p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p
                      for p in item.get("parameters", [])]
        named = {p["name"] for p in parameters if p["in"] == "path"}
        assert named == set(re.findall(r"{(\w+)}", path)), path


def test_document_version_is_the_project_version():
    version = re.search(r"project\(maejin VERSION ([\d.]+)", house.text("CMakeLists.txt")).group(1)
    assert document()["info"]["version"] == version
