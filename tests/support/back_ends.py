"""The three ways to run a server: embedded, with Redis, with Redis and MariaDB."""
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks

NAMES = ["embedded", "redis", "mariadb"]


def mariadb(folder, parts):
    """A MariaDB of its own, with an empty database."""
    server = clusters.MariaDb(folder)
    parts.callback(server.kill)
    server.start()
    server.create_database()
    return server


PATIENT = "?read-timeout-ms=60000"  # a busy machine causes no refusals


def database(folder, parts):
    """The flags of a MariaDB of its own."""
    return ["--mysql", mariadb(folder, parts).url(parameters=PATIENT)]


def flags(name, folder, parts):
    """Starts the servers of the back end; `parts` (an ExitStack) stops them. Returns the flags of
    `maejin serve`."""
    found = []
    if name != "embedded":
        found += ["--redis", parts.enter_context(redis_server.Redis(folder)).patient_url]
    return found + (database(folder, parts) if name == "mariadb" else [])
