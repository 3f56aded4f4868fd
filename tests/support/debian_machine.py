"""A bare Debian 12 that boots its own systemd in systemd-nspawn. Its network is a loopback of its own."""
import contextlib
import os
import pathlib
import signal
import subprocess

import harness
import namespaces

CGROUPS = pathlib.Path("/sys/fs/cgroup")
PATH = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
BOOTED = {"running", "degraded"}


def bootstrap(root, packages):
    """Installs a minimal Debian 12 with the packages into the folder."""
    subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(sorted(packages))}",
                    "bookworm", root], check=True, env=PATH)


def run_in_root(root, *words):
    """Runs a command in the folder as its root; returns its output. systemd-tmpfiles needs /proc."""
    done = subprocess.run([
        "unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root,
        *words
    ], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, env=PATH)
    assert done.returncode == 0, (words, done.stdout)
    return done.stdout


def hierarchies():
    """The mounted control groups that systemd needs: one folder for each."""
    if (CGROUPS / "cgroup.procs").exists():
        return [CGROUPS]
    return [CGROUPS / name for name in ("systemd", "unified") if (CGROUPS / name / "cgroup.procs").exists()]


def can_boot():
    """Whether this kernel lets root make the control groups of a container."""
    return os.geteuid() == 0 and bool(hierarchies()) and all(os.access(path, os.W_OK)
                                                             for path in hierarchies())


class DebianMachine:
    """`root` is booted by start() and halted by stop(); it may boot again."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.name = f"maejin-{os.getpid()}"
        self.log = self.root.parent / "console.log"
        self.process, self.leader = None, None

    def start(self):
        groups = [path / self.name for path in hierarchies()]
        for group in groups:
            group.mkdir(exist_ok=True)

        def join_groups():
            harness.die_with_parent()
            for group in groups:
                (group / "cgroup.procs").write_text("0", encoding="ascii")

        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", f"--directory={self.root}", f"--machine={self.name}",
                 "--register=no", "--keep-unit", "--private-network", "--link-journal=no", "--boot"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=PATH, preexec_fn=join_groups)
        self.leader = harness.until(self._child)
        harness.until(self.booted, seconds=harness.START_DEADLINE_S)
        return self

    def _child(self):
        assert self.process.poll() is None, self.log.read_text(errors="replace")[-2000:]
        done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True,
                              text=True, check=False)
        return done.stdout.strip()

    def booted(self):
        assert self.process.poll() is None, self.log.read_text(errors="replace")[-2000:]
        return self.run("systemctl", "is-system-running", check=False).strip() in BOOTED

    def run(self, *words, check=True):
        """Runs a command inside; returns its output."""
        done = subprocess.run(
            ["nsenter", "--target", self.leader, "--all", "--wd=/", *map(str, words)], check=False, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**PATH, "DEBIAN_FRONTEND": "noninteractive"})
        assert not check or done.returncode == 0, (words, done.stdout)
        return done.stdout

    def main_process(self, unit):
        return self.run("systemctl", "show", "--value", "--property=MainPID", unit).strip()

    def network(self):
        """A context manager: this thread, and the threads it starts, use the machine's network."""
        return namespaces.network_of(self.leader)

    def stop(self):
        """Halts the machine."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self.process.wait()
            self.process = None
            self._remove_groups()

    def _remove_groups(self):
        for hierarchy in hierarchies():
            folders = [path for path in (hierarchy / self.name).rglob("*") if path.is_dir()]
            for folder in [*sorted(folders, key=lambda path: -len(path.parts)), hierarchy / self.name]:
                with contextlib.suppress(OSError):
                    folder.rmdir()

    def files(self):
        """Every path of the machine's disk, but not what its mounts, logs and caches hold."""
        passing = ("dev/", "proc/", "run/", "sys/", "tmp/", "var/cache/", "var/log/", "var/tmp/", "root/",
                   "var/lib/dpkg/", "var/lib/apt/")
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = os.path.relpath(folder, self.root)
            found.update(os.path.normpath(os.path.join(inside, name)) for name in (*folders, *names))
        return {path for path in found if not f"{path}/".startswith(passing)}

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
