"""The three ways to run a server: embedded, with Redis, with Redis and MariaDB."""
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks

NAMES = ["embedded", "redis", "mariadb"]


def flags(name, folder, parts):
    """Starts the servers of the back end; `parts` (an ExitStack) stops them. Returns the flags of
    `maejin serve`."""
    found = []
    if name != "embedded":
        found += ["--redis", parts.enter_context(redis_server.Redis(folder)).patient_url]
    if name == "mariadb":
        database = clusters.MariaDb(folder)
        parts.callback(database.kill)
        database.start()
        database.create_database()
        found += ["--mysql", database.url()]
    return found
