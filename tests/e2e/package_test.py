"""The packages: the Debian package is clean, complete and runs; builds are reproducible; the image runs on a
read-only root. `./dev test --all` repeats the build and makes the image."""
import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import threading

import harness
import pytest
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


def test_checksums_are_signed_and_a_changed_file_is_found(tmp_path):
    sums = tmp_path / "SHA256SUMS"
    sums.write_text("0000  maejin.deb\n")
    secret, public = tmp_path / "secret.key", tmp_path / "public.key"
    subprocess.run(["minisign", "-G", "-W", "-s", secret, "-p", public], check=True, capture_output=True)
    package.sign(sums, secret)
    check = ["minisign", "-V", "-q", "-p", public, "-m", sums]
    assert subprocess.run(check, check=False, capture_output=True).returncode == 0
    sums.write_text("1111  maejin.deb\n")
    assert subprocess.run(check, check=False, capture_output=True).returncode != 0


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
        assert any(f"/{image.DATA}" in mount for mount in [*node["volumes"], *node.get("tmpfs", [])])
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


if ALL:
    def test_two_builds_are_byte_equal_and_the_image_runs_on_a_read_only_root(tmp_path):
        first, second = ([path.read_bytes() for path in package.package(tmp_path / name)]
                         for name in ("a", "b"))
        assert first == second
        path = next((tmp_path / "a").glob("*.oci.tar"))
        with tarfile.open(path) as layout:
            blobs = {m.name: layout.extractfile(m).read() for m in layout if m.name.startswith("blobs/")}
        layer = max(blobs.values(), key=len)
        with running_image(package.gzip.decompress(layer), tmp_path) as port:
            assert serves(port)
        assert pathlib.Path(path).exists()

    def test_bare_debian_installs_starts_upgrades_under_load_and_purges(built, tmp_path):
        """Without a running systemd: units are checked above, the maintainer scripts here."""
        deb, root = built[0], tmp_path / "root"
        needed = ["systemd", "passwd", *package.dependencies(deb)]
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(sorted(needed))}",
                        "bookworm", root], check=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

        def inside(*words):
            done = subprocess.run(["chroot", root, *words], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False,
                                  env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
            assert done.returncode == 0, (words, done.stdout)
            return done.stdout

        shutil.copy(deb, root / "tmp/first.deb")
        inside("dpkg", "-i", "/tmp/first.deb")
        assert "maejin" in inside("getent", "passwd", "maejin")
        data = (root / "var/lib/maejin").stat()
        assert data.st_mode & 0o777 == 0o700 and data.st_uid != 0
        wanted = "etc/systemd/system/multi-user.target.wants/maejin.service"
        assert (root / wanted).is_symlink(), "the service starts on boot"
        port = harness.free_port()
        with subprocess.Popen(["chroot", f"--userspec={data.st_uid}:{data.st_gid}", root, "/usr/bin/maejin",
                               "serve", "--config", "/etc/maejin/maejin.toml", "--listen",
                               f"127.0.0.1:{port}"], preexec_fn=harness.die_with_parent,
                              env={"PATH": os.environ["PATH"]}) as process:
            harness.until(lambda: process.poll() is not None or serves(port))
            newer = tmp_path / "newer"
            subprocess.run(["dpkg-deb", "-R", deb, newer], check=True)
            control = newer / "DEBIAN/control"
            control.write_text(re.sub(r"(?m)^Version: .*", "Version: 99.0-1", control.read_text()))
            subprocess.run(["dpkg-deb", "--root-owner-group", "-b", newer, root / "tmp/second.deb"],
                           check=True, stdout=subprocess.DEVNULL)
            refused, ended = [], threading.Event()

            def load():
                while not ended.is_set():
                    if not serves(port):
                        refused.append(port)

            polls = threading.Thread(target=load)
            polls.start()
            inside("dpkg", "-i", "/tmp/second.deb")
            ended.set()
            polls.join()
            assert refused == [] and "99.0-1" in inside("dpkg-query", "-W", "maejin")
            process.terminate()
        assert "kept /var/lib/maejin" in inside("dpkg", "--purge", "maejin")
        assert (root / "var/lib/maejin/maejin.db").exists(), "bookings are kept"
        for left in ("usr/bin/maejin", "etc/maejin", wanted):
            assert not (root / left).exists() and not (root / left).is_symlink(), left
