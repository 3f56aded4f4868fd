"""Includes point one way: http -> usecase -> domain, usecase -> store -> domain, adapters -> store and domain."""
import re

import house

ALLOWED = {
    "base": set(),
    "domain": {"base"},
    "store": {"domain", "base"},
    "usecase": {"store", "domain", "base"},
    "http": {"usecase", "domain", "base"},
    "adapters": {"store", "domain", "base"},
    "cli": {"http", "usecase", "store", "domain", "adapters", "base"},
}
# Files that CMake generates into the include path: what travels inside the binary.
GENERATED = "embedded"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
FORBIDDEN_IN_DOMAIN = re.compile(
    r"^#include (<(thread|mutex|shared_mutex|condition_variable|future|fstream|iostream|filesystem|stop_token|sys/.*|"
    r"unistd\.h|fcntl\.h|sqlite3\.h|boost/asio.*|boost/beast.*|spdlog/.*)>|\"base/(clock|task|run_task|log)\.h\")",
    re.M)


def crossings(room, include):
    """The forbidden edge that this include is, or None."""
    target = include.split("/")[0]
    if "/" not in include or target == GENERATED or target == room or target in ALLOWED[room]:
        return None
    return f"{room} -> {target}"


def product_sources():
    return [f for f in house.sources("src") if len(f.parts) > 2 and not f.name.endswith("_test.cpp")]


def test_a_forbidden_edge_would_be_seen():
    assert crossings("domain", "store/booking_store.h") == "domain -> store"
    assert crossings("http", "adapters/embedded/journal.h") == "http -> adapters"
    assert crossings("usecase", "domain/words.h") is None


def test_includes_point_one_way():
    wrong = [f"{file} includes {include}: {edge}" for file in product_sources()
             for include in INCLUDE.findall(house.text(file))
             if (edge := crossings(file.parts[1], include))]
    assert wrong == []


def test_every_folder_of_src_is_a_known_room():
    assert {f.parts[1] for f in product_sources()} <= set(ALLOWED)


def test_the_domain_knows_no_clock_no_io_and_no_threads():
    assert FORBIDDEN_IN_DOMAIN.search("#include <mutex>\n")
    wrong = [f"{file}: {match.group()}" for file in product_sources() if file.parts[1] == "domain"
             for match in FORBIDDEN_IN_DOMAIN.finditer(house.text(file))]
    wrong += [f"{file}: asks a clock" for file in product_sources() if file.parts[1] == "domain"
              and re.search(r"_clock::now\(|\btime\(nullptr\)", house.code_of(house.text(file)))]
    assert wrong == []
