"""Includes point one way, between layers and between folders; the domain has no clock, no I/O and no
threads."""
import graphlib
import re

import house

ALLOWED = {
    "base": set(),
    "domain": {"base"},
    "store": {"domain", "base"},
    "usecase": {"store", "domain", "base"},
    "server": {"base"},
    "http": {"server", "usecase", "domain", "base"},
    "adapters": {"store", "domain", "base"},
    "config": {"base"},
    "app": {"config", "server", "http", "usecase", "store", "domain", "adapters", "base"},
    "cli": {"app", "config", "server", "http", "usecase", "store", "domain", "adapters", "base"},
}
# The configuration checks a value with the parser that will read it. The server shares the vocabulary of
# refusals and of roles.
ALLOWED_FILES = {("config", "adapters/redis/client/url.h"), ("config", "adapters/mysql/url.h"),
                 ("config", "server/client_address.h"), ("server", "domain/refusal.h"),
                 ("server", "domain/operator_role.h")}
# The names of the features. A layer with feature folders has all three.
FEATURES = ("waiting_room", "booking", "ranking")
# Files that CMake generates into the include path: data inside the binary.
GENERATED = "embedded"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
FORBIDDEN_IN_DOMAIN = re.compile(
    r"^#include (<(thread|mutex|shared_mutex|condition_variable|future|fstream|iostream|filesystem|"
    r"stop_token|sys/.*|unistd\.h|fcntl\.h|sqlite3\.h|boost/asio.*|boost/beast.*|spdlog/.*)>|"
    r"\"base/(clock|task|run_task|log)\.h\")",
    re.M)


def forbidden_edge(layer, include):
    """The forbidden edge between layers, or None."""
    target = include.split("/")[0]
    if "/" not in include or target == GENERATED or target == layer or target in ALLOWED[layer]:
        return None
    return None if (layer, include) in ALLOWED_FILES else f"{layer} -> {target}"


def product_sources():
    return [f for f in house.sources("src") if len(f.parts) > 2 and not f.name.endswith("_test.cpp")]


def folder_graph(edges):
    """(file, include) pairs as {folder: folders it includes}, subfolders apart from the folder they lie
    in."""
    graph = {}
    for file, include in edges:
        source, target = file.rpartition("/")[0], include.rpartition("/")[0]
        if target and target.split("/")[0] != GENERATED and source != target:
            graph.setdefault(source, set()).add(target)
    return graph


def cycle(graph):
    """One cycle of folders, or None."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
        return None
    except graphlib.CycleError as error:
        return error.args[1]


def includes():
    return [("/".join(file.parts[1:]), include) for file in product_sources()
            for include in INCLUDE.findall(house.text(file))]


def test_control_forbidden_layer_edge_is_found():
    assert forbidden_edge("domain", "store/booking_store.h") == "domain -> store"
    assert forbidden_edge("http", "adapters/embedded/journal.h") == "http -> adapters"
    assert forbidden_edge("server", "http/problem.h") == "server -> http"
    assert forbidden_edge("config", "adapters/redis/client/client.h") == "config -> adapters"
    assert forbidden_edge("usecase", "domain/words.h") is None


def test_control_folder_cycle_is_found():
    assert cycle(folder_graph([("cli/demo.cpp", "cli/top/top.h"), ("cli/top/top.cpp", "cli/verb.h")]))
    assert cycle(folder_graph([("cli/demo.cpp", "cli/top/top.h"),
                               ("cli/top/top.cpp", "cli/common/verb.h")])) is None


def test_layers_include_only_allowed_layers():
    wrong = [f"{file} includes {include}: {edge}" for file, include in includes()
             if (edge := forbidden_edge(file.split("/")[0], include))]
    assert wrong == []


def test_folders_of_src_have_no_include_cycle():
    assert cycle(folder_graph(includes())) is None


def test_every_folder_of_src_is_a_known_layer():
    assert {f.parts[1] for f in product_sources()} <= set(ALLOWED)


def test_layers_with_feature_folders_have_all_three():
    for layer in ("src/http", "src/domain"):
        folders = {p.name for p in (house.ROOT / layer).iterdir() if p.is_dir()}
        assert set(FEATURES) <= folders, layer


def test_domain_has_no_clock_no_io_and_no_threads():
    assert FORBIDDEN_IN_DOMAIN.search("#include <mutex>\n")
    wrong = [f"{file}: {match.group()}" for file in product_sources() if file.parts[1] == "domain"
             for match in FORBIDDEN_IN_DOMAIN.finditer(house.text(file))]
    wrong += [f"{file}: asks a clock" for file in product_sources() if file.parts[1] == "domain"
              and re.search(r"_clock::now\(|\btime\(nullptr\)", house.code_of(house.text(file)))]
    assert wrong == []
