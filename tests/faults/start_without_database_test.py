"""A node that starts while its database is away waits for it instead of exiting."""
import contextlib
import re
import signal
import subprocess

import harness
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks


@contextlib.contextmanager
def starting(folder, port, *flags):
    """`maejin serve` on a fixed port, which may not be ready yet; with the path of its log."""
    log = folder / "node.log"
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen([
            harness.BINARY, "serve", "--listen", f"127.0.0.1:{port}", "--data",
            str(folder / "node"), *flags
        ], stdout=file, stderr=file, env=harness.clean_environment(), preexec_fn=harness.die_with_parent)
        try:
            yield process, log
        finally:
            process.kill()
            process.wait()


def answers(port, path):
    """The answer; None while no process listens."""
    client = harness.Client(port)
    try:
        return client.get(path)
    except ConnectionError:
        return None
    finally:
        client.close()


def test_node_waits_for_its_database_and_then_serves(tmp_path):
    port = harness.free_port()
    database = clusters.MariaDb(tmp_path)
    with redis_server.Redis(tmp_path / "redis") as redis, contextlib.ExitStack() as parts:
        parts.callback(database.kill)
        database.start()
        database.create_database()
        database.kill()
        flags = ["--redis", redis.patient_url, "--mysql", database.url()]
        with starting(tmp_path, port, *flags) as (process, log):
            waiting = harness.until(lambda: answers(port, "/readyz"))
            assert (waiting.status, waiting.json["checks"]) == (503, {"database": False})
            assert answers(port, "/healthz").status == 200
            refused = answers(port, "/api/v1/concerts")
            assert refused.status == 503 and "retry-after" in refused.headers
            longest = "/api/v1/admin/webhooks/1/deliveries/2/resend"
            assert answers(port, longest).status == 503
            outage = r"the database mysql://\S+ does not answer: .*connect.*; retrying, /readyz is 503"
            harness.until(lambda: re.search(outage, log.read_text(encoding="utf-8")))
            database.start()
            harness.until(lambda: (told := answers(port, "/readyz")) and told.status == 200)
            assert answers(port, "/api/v1/concerts").json == {"concerts": []}
            assert process.poll() is None
        database.kill()
        with starting(tmp_path, port, *flags) as (process, log):
            harness.until(lambda: answers(port, "/readyz"))
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, "a node that waits can be stopped"


def test_wrong_password_still_ends_the_start_at_once(tmp_path):
    database = clusters.MariaDb(tmp_path)
    with redis_server.Redis(tmp_path / "redis") as redis, contextlib.ExitStack() as parts:
        parts.callback(database.kill)
        database.start()
        database.create_database()
        wrong = database.url().replace(database.password, "wrong")
        code, _, err = harness.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "node", "--redis",
                                   redis.patient_url, "--mysql", wrong, timeout=60)
        assert code == 1 and "cannot start" in err, err
