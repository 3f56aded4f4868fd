"""The OCI image: the package's libraries from Debian (mmdebstrap, extracted only), the program, and no shell.

The image is an OCI layout in one tar file, written here: `podman load -i` and `skopeo copy oci-archive:` read
it. The root is never written: run it with --read-only; the data folder is a volume."""
import datetime
import gzip
import hashlib
import io
import json
import pathlib
import subprocess
import tarfile

USER_ID = 65532
DATA = "var/lib/maejin"
AUTHORITIES = "etc/ssl/certs/ca-certificates.crt"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
# What a program without a shell does not need.
LEFT_OUT = ("usr/share/doc/", "usr/share/man/", "usr/share/locale/", "usr/share/lintian/", "var/cache/",
            "var/log/", "var/lib/apt/", "var/lib/dpkg/", "etc/apt/", "etc/dpkg/", "etc/hostname/",
            "etc/resolv.conf/", "etc/fstab/", "dev/", "run/", "tmp/")
# Packages that only maintainer scripts need.
NOT_IN_IMAGE = {"init-system-helpers", "systemd", "debconf"}


def debian_root(packages, seconds):
    """A tar file of the packages and their dependencies, without running their scripts."""
    done = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=extract", f"--include={','.join(sorted(packages))}",
         "--format=tar", "bookworm", "-"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SOURCE_DATE_EPOCH": str(seconds), "LC_ALL": "C.UTF-8"},
        capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"mmdebstrap failed:\n{done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def entry(name, seconds, mode=0o644, owner=0, kind=tarfile.REGTYPE):
    made = tarfile.TarInfo(name)
    made.mtime, made.mode, made.uid, made.gid, made.type = seconds, mode, owner, owner, kind
    return made


def add_file(archive, name, content, seconds, mode=0o644):
    made = entry(name, seconds, mode)
    made.size = len(content)
    archive.addfile(made, io.BytesIO(content))


def layer(root_tar, deb, seconds):
    """The one layer as an uncompressed tar: sorted, with fixed times, root's except the data folder."""
    kept = {}
    with tarfile.open(fileobj=io.BytesIO(root_tar)) as source:
        for member in source:
            name = member.name.removeprefix("./").rstrip("/")
            if name in ("", ".") or f"{name}/".startswith(LEFT_OUT) or member.isdev():
                continue
            content = source.extractfile(member).read() if member.isreg() else None
            kept[name] = (member, content)
    # The package's script would write this file.
    authorities = b"".join(content for name, (_, content) in sorted(kept.items())
                           if name.startswith("usr/share/ca-certificates/") and name.endswith(".crt"))
    program = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(deb)], capture_output=True, check=True).stdout
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(kept):
            member, content = kept[name]
            member.name, member.mtime = name, min(int(member.mtime), seconds)
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            archive.addfile(member, None if content is None else io.BytesIO(content))
        with tarfile.open(fileobj=io.BytesIO(program)) as package:
            add_file(archive, "usr/bin/maejin",
                     package.extractfile("./usr/bin/maejin").read(), seconds, 0o755)
        add_file(archive, AUTHORITIES, authorities, seconds)
        add_file(archive, "etc/passwd",
                 f"root:x:0:0:root:/:/none\nmaejin:x:{USER_ID}:{USER_ID}::/{DATA}:/none\n".encode(), seconds)
        add_file(archive, "etc/group", f"root:x:0:\nmaejin:x:{USER_ID}:\n".encode(), seconds)
        archive.addfile(entry("tmp", seconds, 0o1777, kind=tarfile.DIRTYPE))
        archive.addfile(entry(DATA, seconds, 0o700, USER_ID, tarfile.DIRTYPE))
    return out.getvalue()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def configuration(plain_layer, version, seconds, architecture):
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "created": created, "architecture": architecture, "os": "linux", "config": {
            "User": f"{USER_ID}:{USER_ID}", "Entrypoint": ["/usr/bin/maejin"],
            "Cmd": ["serve", "--listen", "0.0.0.0:8080", "--data",
                    f"/{DATA}"], "Env": ["PATH=/usr/bin",
                                         f"SSL_CERT_FILE=/{AUTHORITIES}"], "ExposedPorts": {"8080/tcp": {}},
            "Volumes": {f"/{DATA}": {}}, "WorkingDir": f"/{DATA}", "StopSignal": "SIGTERM", "Labels": {
                "org.opencontainers.image.title": "maejin", "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "Apache-2.0"
            }
        }, "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(plain_layer)}"]},
        "history": [{"created": created, "created_by": "packaging/image.py"}]
    }


def write_layout(target, plain_layer, config, version, seconds):
    """An OCI layout in a tar file."""
    packed = gzip.compress(plain_layer, compresslevel=6, mtime=0)
    config_bytes = json.dumps(config, sort_keys=True).encode()
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "size": len(config_bytes),
                   "digest": f"sha256:{digest(config_bytes)}"},
        "layers": [{"mediaType": LAYER, "size": len(packed), "digest": f"sha256:{digest(packed)}"}]},
        sort_keys=True).encode()
    index = json.dumps({
        "schemaVersion": 2, "manifests": [{
            "mediaType": "application/vnd.oci.image.manifest.v1+json", "size": len(manifest),
            "digest": f"sha256:{digest(manifest)}",
            "annotations": {"org.opencontainers.image.ref.name": f"localhost/maejin:{version}"}}]},
        sort_keys=True).encode()
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        for blob in (packed, config_bytes, manifest):
            add_file(archive, f"blobs/sha256/{digest(blob)}", blob, seconds)
        add_file(archive, "index.json", index, seconds)
        add_file(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}', seconds)


def build(out, deb, version, seconds, dependencies):
    """Writes the image beside the package; returns its path."""
    architecture = subprocess.run(["dpkg-deb", "--field", str(deb), "Architecture"], capture_output=True,
                                  text=True, check=True).stdout.strip()
    packages = (set(dependencies) - NOT_IN_IMAGE) | {"base-files", "ca-certificates", "netbase"}
    plain = layer(debian_root(packages, seconds), deb, seconds)
    target = pathlib.Path(out) / f"maejin-{version}-{architecture}.oci.tar"
    write_layout(target, plain, configuration(plain, version, seconds, architecture), version, seconds)
    return target
