"""Validates bodies and answers by openapi.yaml, more strictly than JSON Schema: an undocumented field is a
fault."""
import functools
import re

import harness
import yaml

METHODS = {"get", "put", "post", "delete", "patch", "options"}
TYPES = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list,
    "null": type(None)
}


@functools.cache
def document():
    return yaml.safe_load((harness.ROOT / "openapi.yaml").read_text(encoding="utf-8"))


def resolved(node):
    while "$ref" in node:
        target = document()
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def flat(schema):
    """The schema with its references resolved and its allOf merged."""
    schema = resolved(schema)
    if "allOf" not in schema:
        return schema
    whole = {"type": "object", "required": [], "properties": {}}
    for part in map(flat, schema["allOf"]):
        whole["required"] = whole["required"] + part.get("required", [])
        whole["properties"] = {**whole["properties"], **part.get("properties", {})}
    return whole


def is_of(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def faults(schema, value, where="answer"):
    """The faults of a value as sentences; undocumented fields are faults."""
    schema = flat(schema)
    if not set(schema) - {"description"}:
        return []  # described as anything
    if "oneOf" in schema:
        tried = [list(faults(each, value, where)) for each in schema["oneOf"]]
        return [] if sum(not found for found in tried) == 1 else [f"{where}: fits not exactly one of {tried}"]
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_of(value, name) for name in names):
        return [f"{where}: {value!r} is no {'/'.join(names)}"]
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return [f"{where}: {value!r} is none of {schema.get('enum', schema.get('const'))}"]
    if isinstance(value, dict):
        return list(faults_of_object(schema, value, where))
    if isinstance(value, list):
        return [
            fault for number, each in enumerate(value)
            for fault in faults(schema["items"], each, f"{where}[{number}]")
        ]
    return []


def faults_of_object(schema, value, where):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}.{name}: is missing"
    for name, each in value.items():
        if name in properties or isinstance(others, dict):
            yield from faults(properties.get(name, others), each, f"{where}.{name}")
        else:
            yield f"{where}.{name}: is not described"


def operations():
    """(METHOD, path) → its description, with the parameters of its path."""
    found = {}
    for path, item in document()["paths"].items():
        for method in METHODS & set(item):
            parameters = [
                resolved(each) for each in item.get("parameters", []) + item[method].get("parameters", [])
            ]
            found[method.upper(), path] = {**item[method], "parameters": parameters}
    return found


@functools.cache
def patterns():
    return [(key, re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(key[1]))))
            for key in sorted(operations(), key=lambda k: "{" in k[1])]


def operation_of(method, path):
    """The (METHOD, path) that handles a request."""
    plain = path.split("?")[0]
    return next(key for key, pattern in patterns() if key[0] == method and pattern.fullmatch(plain))


def body_schema(key):
    """The schema of an operation's JSON body; None if it takes none."""
    return operations()[key].get("requestBody", {}).get("content", {}).get("application/json",
                                                                           {}).get("schema")


def faults_of_answer(key, answer):
    """The faults of an operation's answer."""
    responses = operations()[key]["responses"]
    described = resolved(responses.get(str(answer.status), responses.get("default", {})))
    if not described:
        return [f"{answer.status}: is not described"]
    kind = answer.headers.get("content-type", "").split(";")[0]
    if kind not in ("application/json", "application/problem+json"):
        return []
    if not answer.text:
        return []
    if kind not in described.get("content", {}):
        return [f"{answer.status}: {kind} is not described"]
    return faults(described["content"][kind]["schema"], answer.json)
