"""The OCI image under podman, in a mount namespace of its own, with a store of its own."""
import contextlib
import pathlib
import resource
import signal
import subprocess
import tempfile

import harness
import namespaces

# crun refuses control groups of both versions at once, so the namespace has those of version 1 only.
PREPARE = 'umount /sys/fs/cgroup/unified 2>/dev/null; ip link set lo up; echo ready; exec sleep infinity'


def limits():
    """Limits that this machine's hard limits allow: raising one needs CAP_SYS_RESOURCE."""
    wanted = {"nofile": (resource.RLIMIT_NOFILE, 65536), "nproc": (resource.RLIMIT_NPROC, 4096)}
    hard = {name: resource.getrlimit(kind)[1] for name, (kind, _) in wanted.items()}
    return {name: most if hard[name] == resource.RLIM_INFINITY else min(most, hard[name])
            for name, (_, most) in wanted.items()}


class Podman:
    """`network="private"`: the containers and network() have a loopback of their own."""

    def __init__(self, folder, network="host"):
        self.folder = pathlib.Path(folder) / "podman"
        # podman refuses a longer path than 50 characters here.
        self.run = tempfile.TemporaryDirectory(prefix="podman", ignore_cleanup_errors=True)
        self.globals = [f"--root={self.folder}/root", f"--runroot={self.run.name}",
                        f"--network-config-dir={self.folder}/networks"]
        self.spaces = ["--mount", *(["--net"] if network == "private" else [])]
        self.holder = None

    def __enter__(self):
        self.holder = subprocess.Popen(["unshare", *self.spaces, "sh", "-c", PREPARE], text=True,
                                       stdout=subprocess.PIPE, preexec_fn=harness.die_with_parent)
        assert self.holder.stdout.readline() == "ready\n"
        return self

    def enter(self, *words):
        """The command line of a command in the namespace."""
        return ["nsenter", f"--target={self.holder.pid}", *self.spaces, *map(str, words)]

    def call(self, *words):
        """Runs a command in the namespace; returns its output."""
        done = subprocess.run(self.enter(*words), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, env=harness.clean_environment(), stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (words, done.stdout[-3000:])
        return done.stdout

    def podman(self, *words):
        return self.call("podman", *self.globals, *words)

    def load(self, image):
        """Loads the image; returns its name."""
        return self.podman("load", "--input", image).rpartition("Loaded image: ")[2].strip()

    def start(self, image, name, *options, command=()):
        """Starts a container on a read-only root, as the compose files do."""
        self.podman("run", "--detach", f"--name={name}", "--read-only", "--cap-drop=all",
                    "--security-opt=no-new-privileges", "--pull=never",
                    *(f"--ulimit={kind}={most}:{most}" for kind, most in limits().items()), *options, image,
                    *command)

    def compose(self, *words):
        """podman-compose with the store of this object."""
        return self.call("podman-compose", f"--podman-args={' '.join(self.globals)}", *words)

    def network(self):
        """A context manager: this thread, and the threads it starts, use the containers' network."""
        return namespaces.network_of(self.holder.pid)

    def __exit__(self, *_):
        with contextlib.suppress(AssertionError):
            self.podman("rm", "--all", "--force", "--time=0")
        self.holder.send_signal(signal.SIGKILL)
        self.holder.wait()
        self.holder.stdout.close()
        self.run.cleanup()
