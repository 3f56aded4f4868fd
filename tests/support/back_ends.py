"""The three ways to run a server: embedded, with Redis, with Redis and MariaDB."""
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks

NAMES = ["embedded", "redis", "mariadb"]


def database(folder, parts):
    """The flags of a MariaDB of its own."""
    server = clusters.MariaDb(folder)
    parts.callback(server.kill)
    server.start()
    server.create_database()
    return ["--mysql", server.url()]


def flags(name, folder, parts):
    """Starts the servers of the back end; `parts` (an ExitStack) stops them. Returns the flags of
    `maejin serve`."""
    found = []
    if name != "embedded":
        found += ["--redis", parts.enter_context(redis_server.Redis(folder)).patient_url]
    if name == "mariadb":
        found += database(folder, parts)
    return found
