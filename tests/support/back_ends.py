"""The three ways to run a server: embedded, with Redis, with Redis and MariaDB."""
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks

NAMES = ["embedded", "redis", "mariadb"]


def flags(name, folder, parts):
    """Starts what the back end needs, for as long as `parts` (an ExitStack) lives; returns the flags of `maejin serve`."""
    found = []
    if name != "embedded":
        found += ["--redis", parts.enter_context(redis_server.Redis(folder)).patient_url]
    return found + (database_flags(folder, parts) if name == "mariadb" else [])


def database_flags(folder, parts):
    """Starts a MariaDB for as long as `parts` lives; returns the flags of `maejin serve`."""
    database = clusters.MariaDb(folder)
    parts.callback(database.kill)
    database.start()
    database.create_database()
    return ["--mysql", database.url()]
