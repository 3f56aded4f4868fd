"""The packages: the Debian package is clean, complete and runs; builds are reproducible; the image runs on a
read-only root. `./dev test --all` repeats the build and makes the image."""
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import crowd
import debian_machine
import harness
import podman
import pytest
import upgrade_load
import yaml

sys.path.insert(0, str(harness.ROOT / "packaging"))
import cluster  # pylint: disable=wrong-import-position
import image  # pylint: disable=wrong-import-position
import package  # pylint: disable=wrong-import-position
import sbom  # pylint: disable=wrong-import-position

ALL = bool(os.environ.get("MAEJIN_ALL"))
MOST_EXPOSED = 2.0


@pytest.fixture(scope="module", name="built")
def build_once(tmp_path_factory):
    """The package, and its content extracted."""
    out = tmp_path_factory.mktemp("package")
    deb = package.build_deb(out)
    root = out / "root"
    subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
    yield deb, root
    shutil.rmtree(out)


def test_package_is_lintian_clean(built):
    package.lint(built[0])


def test_package_has_every_part(built):
    root = built[1]
    for path in ("usr/bin/maejin", "etc/maejin/maejin.toml", "lib/systemd/system/maejin.service",
                 "lib/systemd/system/maejin.socket", "usr/lib/sysusers.d/maejin.conf",
                 "usr/lib/tmpfiles.d/maejin.conf", "usr/share/man/man1/maejin.1.gz",
                 "usr/share/bash-completion/completions/maejin", "usr/share/zsh/vendor-completions/_maejin",
                 "usr/share/fish/vendor_completions.d/maejin.fish", "usr/share/doc/maejin/copyright",
                 "usr/share/maejin/alerts.yml", "usr/share/maejin/grafana-dashboard.json"):
        assert (root / path).stat().st_size > 0, path


def test_packaged_pages_link_to_packaged_pages(built):
    docs = built[1] / "usr/share/doc/maejin"
    pages = [docs / "README.md", *(docs / "docs").rglob("*.md")]
    links = [(page, link) for page in pages
             for link in re.findall(r"\]\(((?!https?:)[^)#\s]+\.md)", page.read_text(encoding="utf-8"))]
    missing = {link for page, link in links if not (page.parent / link).exists()}
    assert len(links) > 50
    assert {link.split("/")[-1] for link in missing} <= {
        "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.ko.md", "SECURITY.md"}


def test_manual_page_and_bash_completions_are_well_formed(built):
    root = built[1]
    done = subprocess.run(["man", "--warnings", "-l", root / "usr/share/man/man1/maejin.1.gz"],
                          capture_output=True, text=True,
                          env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}, check=True)
    assert done.stderr == "" and "SETTINGS" in done.stdout
    subprocess.run(["bash", "-n", root / "usr/share/bash-completion/completions/maejin"], check=True)
    assert (root / "usr/share/zsh/vendor-completions/_maejin").read_text(
        encoding="utf-8").startswith("#compdef maejin\n")


def test_packaged_program_serves_with_the_packaged_configuration(built, tmp_path):
    root = built[1]
    settings = (root / "etc/maejin/maejin.toml").read_text(encoding="utf-8")
    assert 'data = "/var/lib/maejin"' in settings
    (tmp_path / "maejin.toml").write_text(settings, encoding="utf-8")
    with harness.Server(tmp_path / "data", "--config", tmp_path / "maejin.toml",
                        binary=root / "usr/bin/maejin") as server:
        assert server.client().get("/readyz").status == 200


def test_program_does_not_name_its_build_folder(built):
    """Otherwise builds in two folders differ."""
    assert str(harness.ROOT).encode() not in (built[1] / "usr/bin/maejin").read_bytes()


def test_reload_needs_no_program_that_a_bare_debian_lacks(built):
    """/bin/kill is procps's, which is not essential; the shell has kill."""
    unit = (built[1] / "lib/systemd/system/maejin.service").read_text(encoding="utf-8")
    assert re.findall(r"^Exec\w+=(\S+)", unit, re.M) == ["/usr/bin/maejin", "/bin/sh"]


def test_socket_unit_and_configuration_name_one_address(built):
    root = built[1]
    unit = (root / "lib/systemd/system/maejin.socket").read_text(encoding="utf-8")
    settings = (root / "etc/maejin/maejin.toml").read_text(encoding="utf-8")
    assert re.search(r"^ListenStream=(.+)$", unit,
                     re.M).group(1) == re.search(r'^listen = "(.+)"$', settings, re.M).group(1)


def test_units_are_valid_and_sandboxed(built):
    units = built[1] / "lib/systemd/system"
    # systemd-analyze checks that the program exists, so the unit names the extracted one.
    folder = built[1].parent / "units"
    folder.mkdir(exist_ok=True)
    service = (units / "maejin.service").read_text(encoding="utf-8")
    (folder / "maejin.service").write_text(service.replace("/usr/bin/maejin", f"{built[1]}/usr/bin/maejin"),
                                           encoding="utf-8")
    shutil.copy(units / "maejin.socket", folder)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", folder / "maejin.service", folder / "maejin.socket"],
        capture_output=True, text=True, check=False)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "maejin" in line]) == (0, [])
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", units / "maejin.service"],
        capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
    assert float(re.search(r"Overall exposure level .*: ([\d.]+)", done.stdout).group(1)) <= MOST_EXPOSED


def test_upgrade_restarts_the_service_and_keeps_the_socket(built):
    scripts = built[1].parent / "control"
    subprocess.run(["dpkg-deb", "-e", built[0], scripts], check=True)
    postinst = (scripts / "postinst").read_text(encoding="utf-8")
    assert re.findall(r"deb-systemd-invoke (\S+) (.+?) >", postinst) == [("start", "'maejin.socket'"),
                                                                         ("$_dh_action", "'maejin.service'")]


def test_sbom_names_libraries_build_packages_and_web_packages(built):
    names = package.dependencies(built[0])
    assert {"libssl3", "libsqlite3-0", "libmariadb3"} <= set(names)
    text = sbom.document(harness.ROOT, "1.2.3", 1_800_000_000, names)
    assert text == sbom.document(harness.ROOT, "1.2.3", 1_800_000_000, names), "not reproducible"
    bill = json.loads(text)
    ids = [entry["SPDXID"] for entry in bill["packages"]]
    assert len(ids) == len(set(ids))
    assert {"SPDXRef-maejin", "SPDXRef-Debian-libssl3", "SPDXRef-Debian-cmake"} <= set(ids)
    assert any(entry["name"] == "svelte" and entry["checksums"] for entry in bill["packages"])
    known = {*ids, "SPDXRef-DOCUMENT"}
    for relation in bill["relationships"]:
        assert relation["spdxElementId"] in known and relation["relatedSpdxElement"] in known


def test_release_folder_has_signed_checksums_that_find_a_changed_file(built, tmp_path):
    secret, public = tmp_path / "secret.key", tmp_path / "public.key"
    subprocess.run(["minisign", "-G", "-W", "-s", secret, "-p", public], check=True, capture_output=True)
    dist = package.release([built[0], harness.ROOT / "LICENSE"], tmp_path / "dist", secret)

    def verified(*command):
        return subprocess.run(command, check=False, capture_output=True, cwd=dist).returncode == 0

    signature = ("minisign", "-V", "-q", "-p", public, "-m", "SHA256SUMS")
    sums = ("sha256sum", "-c", "SHA256SUMS")
    assert {path.name for path in dist.iterdir()} == {
        built[0].name, "LICENSE", "SHA256SUMS", "SHA256SUMS.minisig"}
    assert verified(*signature) and verified(*sums)
    (dist / "LICENSE").write_text("changed")
    assert verified(*signature) and not verified(*sums)
    (dist / "SHA256SUMS").write_text(f"{hashlib.sha256(b'changed').hexdigest()}  LICENSE\n")
    assert verified(*sums) and not verified(*signature)


def test_image_layout_is_sorted_content_addressed_and_reproducible(built, tmp_path):
    """With a root of one file in the place of Debian's libraries: no network."""
    def root_tar(mtime):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name in ("./usr/share/ca-certificates/b.crt", "./usr/share/ca-certificates/a.crt",
                         "./etc/resolv.conf"):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.uid = 2, mtime, 1000
                archive.addfile(entry, io.BytesIO(name[-5:-3].encode()))
        return out.getvalue()

    files = []
    for number, mtime in enumerate((1_900_000_000, 1_950_000_000)):
        plain = image.layer(root_tar(mtime), built[0], 1_800_000_000)
        target = tmp_path / f"{number}.tar"
        image.write_layout(target, plain, image.configuration(plain, "1.2.3", 1_800_000_000, "amd64"),
                           "1.2.3", 1_800_000_000)
        files.append(target)
    assert files[0].read_bytes() == files[1].read_bytes()
    with tarfile.open(files[0]) as layout:
        for member in layout:
            if member.name.startswith("blobs/"):
                assert hashlib.sha256(
                    layout.extractfile(member).read()).hexdigest() == member.name.rpartition("/")[2]
    with tarfile.open(fileobj=io.BytesIO(image.layer(root_tar(0), built[0], 0))) as layer:
        names = layer.getnames()
        assert "usr/bin/maejin" in names and "etc/resolv.conf" not in names
        assert {member.uid for member in layer} == {0, image.USER_ID}


def compose(name):
    return yaml.safe_load((harness.ROOT / "deploy" / name).read_text(encoding="utf-8"))


def test_compose_files_run_the_image_read_only_with_valid_settings(tmp_path):
    version = harness.run("version")[1].split()[1]
    nodes = [
        *compose("compose.yaml")["services"].values(),
        *(service for name, service in compose("compose-cluster.yaml")["services"].items()
          if name.startswith("node-"))
    ]
    assert len(nodes) == 4
    (tmp_path / "mysql.url").write_text("mysql://maejin:secret@mariadb:3306/maejin")
    for node in nodes:
        assert node["image"] == f"localhost/maejin:{version}"
        assert node["read_only"] and node["cap_drop"] == ["ALL"]
        assert any(f"/{image.DATA}" in mount for mount in node["volumes"])
        settings = {**node["environment"], "MAEJIN_LISTEN": "0.0.0.0:8080"}
        if "MAEJIN_MYSQL_FILE" in settings:
            settings["MAEJIN_MYSQL_FILE"] = str(tmp_path / "mysql.url")
        code, _, err = harness.run("config", "check", env=settings, cwd=tmp_path)
        assert code == 0, err


def test_compose_nginx_is_the_clusters(tmp_path):
    made = cluster.nginx_settings("/tmp", "8080", [f"node-{n}:8080" for n in (1, 2, 3)])
    assert (harness.ROOT / "deploy/compose-nginx.conf").read_text(encoding="utf-8") == made
    # Host names resolve only inside the compose network.
    (tmp_path / "nginx.conf").write_text(re.sub(r"node-\d:8080", "127.0.0.1:8080", made))
    subprocess.run(["/usr/sbin/nginx", "-t", "-q", "-p", tmp_path, "-c", tmp_path / "nginx.conf"], check=True)


@contextlib.contextmanager
def running_image(layer, folder):
    """The image's root, mounted read-only, with the program as the image's user and a volume for the data."""
    root = folder / "root"
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        archive.extractall(root)
    port = harness.free_port()
    data = root / image.DATA
    script = (
        f"mount --bind {root} {root} && mount -o remount,bind,ro {root} && mount -t tmpfs -o "
        f"uid={image.USER_ID} none {data} && "
        f"! touch {root}/written && exec chroot --userspec={image.USER_ID}:{image.USER_ID} {root} "
        f"/usr/bin/maejin serve --listen 127.0.0.1:{port} --data /{image.DATA}")
    process = subprocess.Popen(["unshare", "--mount", "sh", "-c", script], preexec_fn=harness.die_with_parent,
                               env={"PATH": os.environ["PATH"]})
    try:
        harness.until(lambda: process.poll() is not None or serves(port))
        assert process.poll() is None, "the image's program ended"
        yield port
    finally:
        process.terminate()
        process.wait(60)


def serves(port):
    with contextlib.suppress(OSError):
        return harness.Client(port).get("/readyz").status == 200
    return False


@pytest.fixture(scope="module", name="packaged")
def package_once(tmp_path_factory):
    """Every artefact; the image is the last."""
    out = tmp_path_factory.mktemp("artefacts")
    yield package.package(out)
    shutil.rmtree(out)


@pytest.fixture(scope="module", name="debian")
def bootstrap_once(built, tmp_path_factory):
    """A bare Debian 12 with systemd and the package's dependencies. Tests copy it."""
    root = tmp_path_factory.mktemp("debian") / "root"
    debian_machine.bootstrap(root, ["systemd-sysv", *package.dependencies(built[0])])
    yield root
    shutil.rmtree(root)


def copy_of(debian, folder, deb):
    subprocess.run(["cp", "-a", debian, folder / "root"], check=True)
    shutil.copy(deb, folder / "root/root/maejin.deb")
    return folder / "root"


def newer_package(deb, folder, target):
    """The same package as version 99.0."""
    subprocess.run(["dpkg-deb", "-R", deb, folder / "newer"], check=True)
    control = folder / "newer/DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", "Version: 99.0-1", control.read_text()))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", folder / "newer", target], check=True,
                   stdout=subprocess.DEVNULL)


def state(machine):
    """The states of service and socket, and whether the address of the package answers."""
    with machine.network():
        answered = harness.listens(8080) and serves(8080)
    return [machine.run("systemctl", "is-active", unit, check=False).strip()
            for unit in ("maejin.service", "maejin.socket")] + [answered]


def upgrade_under_load(machine, *command):
    """Runs the command while fans send requests; returns the service's process ids before and after it."""
    key = (machine.root / "var/lib/maejin/admin.key").read_text().strip()
    with machine.network():
        with upgrade_load.UpgradeLoad(8080, key) as load:
            before, answered = machine.main_process("maejin.service"), len(load.statuses)
            machine.run(*command)
            assert len(load.statuses) > answered, "no load during the upgrade"
            load.await_answers()
        assert load.failures == []
        assert set(load.statuses) == {("POST", 201), ("GET", 200)}
        assert load.held_seats() == len(load.held) > 0, "every acknowledged hold is there once"
    return before, machine.main_process("maejin.service")


def build_elsewhere(tree):
    """Builds and packages these sources in the folder, with an empty compiler cache, another umask and zone;
    returns the folder of the artefacts."""
    tree.mkdir(parents=True)
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=harness.ROOT,
                            check=True, capture_output=True).stdout
    for name in listed.decode().split("\0"):
        if (source := harness.ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, tree / name, follow_symlinks=False)
    subprocess.run(["cp", "-a", harness.ROOT / "web/node_modules", tree / "web"], check=True)
    settings = {"CCACHE_DIR": str(tree.parent / "cache"), "SOURCE_DATE_EPOCH": str(package.commit_time()),
                "TZ": "Asia/Seoul"}
    done = subprocess.run([tree / "dev", "package", "--out", tree / "artefacts"], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, umask=0o077,
                          env=harness.clean_environment(**settings))
    assert done.returncode == 0, done.stdout[-3000:]
    return tree / "artefacts"


class ContainerNode(cluster.Node):
    """A node of the compose file in a container on this machine's network."""

    def __init__(self, folder, name, containers, loaded, settings):
        super().__init__(folder, name)
        self.containers, self.loaded, self.name, self.settings = containers, loaded, name, settings

    def start(self, wait=True):
        options = [f"--env={key}={value}" for key, value in self.settings["environment"].items()]
        options += [f"--volume={mount}" for mount in self.settings["volumes"]]
        self.containers.start(self.loaded, self.name, "--network=host", *options, command=[
            "serve", "--listen", f"127.0.0.1:{self.port}", "--data", f"/{image.DATA}"])
        if wait:
            self.await_ready()
        return self

    def running(self):
        return True

    def stop(self, timeout=60):
        self.containers.podman("stop", f"--time={timeout}", self.name)


class ContainerCluster(cluster.Cluster):
    """The cluster of ./dev cluster with the compose file's nodes, but with its own addresses and secrets."""

    def __init__(self, folder, containers, loaded, settings):
        super().__init__(folder, sentinel=False)
        self.containers, self.loaded, self.settings = containers, loaded, settings

    def node(self, number, _flags):
        """With the addresses of this machine instead of the compose network's."""
        url = self.folder / "mysql.url"
        url.write_text(self.database.url(), encoding="utf-8")
        for secret in (url, self.folder / "admin.key"):
            secret.chmod(0o600)
            os.chown(secret, image.USER_ID, image.USER_ID)
        settings = json.loads(json.dumps(self.settings).replace("./secrets", str(self.folder)))
        settings["environment"] |= {
            "MAEJIN_REDIS": self.redis.url, "MAEJIN_HTTP_TRUSTED_PROXIES": "127.0.0.1"
        }
        return ContainerNode(self.folder, f"node-{number}", self.containers, self.loaded, settings)


if ALL:
    def test_build_in_another_folder_gives_the_same_artefacts(packaged, tmp_path):
        again = build_elsewhere(tmp_path / "another/folder")
        assert len(packaged) == 4
        for path in packaged:
            assert path.read_bytes() == (again / path.name).read_bytes(), path.name

    def test_image_runs_on_a_read_only_root_without_podman(packaged, tmp_path):
        with tarfile.open(packaged[-1]) as layout:
            blobs = {m.name: layout.extractfile(m).read() for m in layout if m.name.startswith("blobs/")}
        layer = max(blobs.values(), key=len)
        with running_image(package.gzip.decompress(layer), tmp_path) as port:
            assert serves(port)

    def test_compose_files_are_valid_by_docker_compose():
        for name in ("compose.yaml", "compose-cluster.yaml"):
            subprocess.run(["docker-compose", "-f", harness.ROOT / "deploy" / name, "config", "--quiet"],
                           check=True)

    def test_image_runs_read_only_under_podman_by_the_compose_file(packaged, tmp_path):
        (tmp_path / "limits.yaml").write_text(
            json.dumps({"services": {"maejin": {"ulimits": podman.limits()}}}))
        files = ["-f", harness.ROOT / "deploy/compose.yaml", "-f", tmp_path / "limits.yaml"]
        with podman.Podman(tmp_path, network="private") as containers:
            containers.load(packaged[-1])
            containers.compose(*files, "up", "-d")
            with containers.network():
                harness.until(lambda: serves(8080), seconds=harness.START_DEADLINE_S)
            settings = json.loads(containers.podman("inspect", "--latest"))[0]
            assert settings["HostConfig"]["ReadonlyRootfs"] and settings["EffectiveCaps"] in (None, [])
            assert settings["Config"]["User"] == f"{image.USER_ID}:{image.USER_ID}"
            containers.compose(*files, "down")

    def test_cluster_of_containers_with_the_compose_settings_sells_out(packaged, tmp_path):
        """Redis, MariaDB and nginx (with the same nginx.conf) are this machine's: no image is pulled."""
        node = compose("compose-cluster.yaml")["services"]["node-1"]
        with podman.Podman(tmp_path) as containers, ContainerCluster(
                tmp_path / "cluster", containers, containers.load(packaged[-1]), node) as running:
            admin = harness.Client(running.port, {"Authorization": f"Bearer {running.admin_key}"})
            concert = harness.create_concert(admin, seats=300)
            sale = crowd.Crowd(running.port, concert, connections=16, with_room=True, answer_within=60)
            sale.run((f"fan-{number}", number % 300 + 1) for number in range(600))
            assert sale.ledger.unexpected == [] and len(sale.ledger.paid) == 300
            assert admin.get(f"/api/v1/concerts/{concert['id']}").json["soldOutAt"]
            assert running.database.number("SELECT COUNT(*) FROM seats WHERE state = 'ASSIGNED'") == 300

    def test_package_installs_and_purges_in_a_root_without_running_systemd(built, debian, tmp_path):
        """As in the build of a container image."""
        root = copy_of(debian, tmp_path, built[0])
        debian_machine.run_in_root(root, "dpkg", "-i", "/root/maejin.deb")
        data = (root / "var/lib/maejin").stat()
        account = debian_machine.run_in_root(root, "getent", "passwd", "maejin")
        assert data.st_mode & 0o777 == 0o700 and f":{data.st_uid}:{data.st_gid}:" in account
        debian_machine.run_in_root(root, "dpkg", "--purge", "maejin")
        assert not (root / "var/lib/maejin").exists()


if ALL and debian_machine.can_boot():
    def test_bare_debian_installs_boots_upgrades_under_load_removes_and_purges(built, debian, tmp_path):
        root = copy_of(debian, tmp_path, built[0])
        newer_package(built[0], tmp_path, root / "root/newer.deb")
        install = ("apt-get", "-q", "-y", "install")
        data = root / "var/lib/maejin"
        with debian_machine.DebianMachine(root) as machine:
            bare = machine.files()
            machine.run(*install, "/root/maejin.deb")
            assert state(machine) == ["active", "active", True]
            assert data.stat().st_mode & 0o777 == 0o700 and data.stat().st_uid != 0
            before, after = upgrade_under_load(machine, *install, "/root/newer.deb")
            assert before != after and "99.0-1" in machine.run("dpkg-query", "-W", "maejin")
            before, after = upgrade_under_load(machine, "systemctl", "restart", "maejin")
            assert before != after
            before, after = upgrade_under_load(machine, "systemctl", "reload", "maejin")
            assert before == after and "reloaded:" in machine.run("journalctl", "-u", "maejin")
            machine.stop()
            machine.start()
            assert state(machine) == ["active", "active", True], "starts on boot"
            key = (data / "admin.key").read_bytes()
            machine.run("apt-get", "-q", "-y", "remove", "maejin")
            assert state(machine) == ["inactive", "inactive", False]
            assert (data / "admin.key").read_bytes() == key, "remove keeps the data folder"
            machine.run(*install, "/root/newer.deb")
            assert state(machine) == ["active", "active", True]
            machine.run("apt-get", "-q", "-y", "purge", "maejin")
            assert state(machine) == ["inactive", "inactive", False]
            # The account stays: its number must not pass to another program.
            assert machine.files() - bare <= {"etc/passwd-", "etc/group-", "etc/shadow-"}
            assert machine.run("systemctl", "is-system-running").strip() == "running"
