#!/usr/bin/env python3
"""Packages the built program: a Debian package, an OCI image, an SPDX SBOM, and a signed release folder.

`./dev package` and `./dev release` run it. Everything comes from this machine's Debian packages and the build
folder. The time in every file is the commit's (SOURCE_DATE_EPOCH), so two runs give the same bytes."""
import argparse
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import image
import sbom

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BINARY = pathlib.Path(os.environ.get("MAEJIN_BINARY", ROOT / "build/release/bin/maejin"))


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True, capture_output=True).stdout


def version():
    return output(BINARY, "version").split()[1]


def commit_time():
    """The time of the commit, in seconds. A source tree without git needs SOURCE_DATE_EPOCH."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(output("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def rfc5322(seconds):
    return output("date", "--utc", "--rfc-email", f"--date=@{seconds}").strip()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def debian_changelog():
    """One entry for each version of CHANGELOG.md, the newest first. A version without a date has the
    commit's."""
    headings = re.findall(r"^## (\d[\d.]*) \((.*?)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
                          re.M)
    text = ""
    for number, when in headings:
        dated = re.match(r"\d{4}-\d\d-\d\d", when)
        seconds = int(output("date", "--utc", "+%s", f"--date={dated.group()}")) if dated else commit_time()
        text += (f"maejin ({number}-1) stable; urgency=medium\n\n"
                 f"  * Version {number}. The changes are in /usr/share/doc/maejin/changelog.gz.\n\n"
                 f" -- maejin developers <maejin@packages.example>  {rfc5322(seconds)}\n\n")
    return text


def pages():
    """The pages of docs/, by their path below the project."""
    return {str(page.relative_to(ROOT)): page for page in sorted((ROOT / "docs").rglob("*.md"))}


def stage(folder):
    """A Debian source tree whose ./files holds the program and the files that it prints."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "debian", folder / "debian")
    (folder / "debian/rules").chmod(0o755)
    write(folder / "debian/source/format", "3.0 (quilt)\n")
    write(folder / "debian/changelog", debian_changelog())
    files = folder / "files"
    files.mkdir()
    shutil.copy(BINARY, files / "maejin")
    for name in ("CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, files / name)
    for name, page in pages().items():
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, files / name)
    shutil.copy(HERE / "maejin.toml", files / "maejin.toml")
    for name in ("alerts.yml", "grafana-dashboard.json"):
        shutil.copy(ROOT / "deploy" / name, files / name)
    write(files / "maejin.1", output(BINARY, "man"))
    for shell, name in (("bash", "maejin"), ("zsh", "_maejin"), ("fish", "maejin.fish")):
        write(files / "completions" / name, output(BINARY, "completions", shell))


def environment():
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAEJIN_", "DEB_", "DH_"))
    }
    return {**kept, "SOURCE_DATE_EPOCH": str(commit_time()), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def build_deb(out):
    """Builds the Debian package into `out`; returns its path."""
    out.mkdir(parents=True, exist_ok=True)
    source = out / "source"
    stage(source)
    run("fakeroot", "debian/rules", "binary", cwd=source, env=environment())
    deb = next(out.glob(f"maejin_{version()}-1_*.deb"))
    return deb


def lint(deb):
    """Lintian without errors or warnings."""
    run("lintian", "--fail-on", "error,warning", "--tag-display-limit", "0", "--allow-root", deb)


def dependencies(deb):
    """The names of the packages that the package depends on; of alternatives the first."""
    text = output("dpkg-deb", "--field", deb, "Depends")
    return [re.match(r"[a-z0-9.+-]+", item.strip()).group() for item in text.split(",")]


def tarball(out, deb):
    """The program with its documents, for systems without dpkg."""
    top = f"maejin-{version()}-linux-{output('dpkg-deb', '--field', deb, 'Architecture').strip()}"
    target = out / f"{top}.tar.gz"
    files = {"maejin": out / "source/debian/maejin/usr/bin/maejin", "maejin.1": out / "source/files/maejin.1",
             "maejin.toml": HERE / "maejin.toml", "maejin.service": HERE / "debian/maejin.service",
             "maejin.socket": HERE / "debian/maejin.socket", "LICENSE": ROOT / "LICENSE",
             "README.md": ROOT / "README.md", "CHANGELOG.md": ROOT / "CHANGELOG.md", **pages()}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, path in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = path.stat().st_size, commit_time()
            entry.mode = 0o755 if name == "maejin" else 0o644
            with open(path, "rb") as content:
                archive.addfile(entry, content)
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return target


def package(out, with_image=True):
    """All artefacts except the checksums; returns their paths."""
    deb = build_deb(out)
    lint(deb)
    bill = out / f"maejin-{version()}.spdx.json"
    bill.write_text(sbom.document(ROOT, version(), commit_time(), dependencies(deb)), encoding="utf-8")
    artefacts = [deb, tarball(out, deb), bill]
    if with_image:
        artefacts.append(image.build(out, deb, version(), commit_time(), dependencies(deb)))
    return artefacts


def release(artefacts, dist, secret_key):
    """Copies the artefacts to a new folder with SHA-256 sums, and signs the sums with minisign."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    for artefact in artefacts:
        shutil.copy(artefact, dist)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                   for path in sorted(dist.iterdir()))
    write(dist / "SHA256SUMS", sums)
    sign(dist / "SHA256SUMS", secret_key)
    return dist


def sign(sums, secret_key):
    """Minisign asks for the key's password on the terminal, unless the key has none (minisign -G -W)."""
    subprocess.run(["minisign", "-S", "-s", str(secret_key), "-m", str(sums), "-t",
                    f"maejin {version()} {commit_time()}"], check=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev package", description=__doc__)
    parser.add_argument("what", nargs="?", default="package", choices=["package", "deb", "release"])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/package",
                        help="where files are built")
    parser.add_argument("--key", type=pathlib.Path, default=pathlib.Path.home() / ".minisign/minisign.key",
                        help="release: minisign's secret key")
    arguments = parser.parse_args()
    if not BINARY.exists():
        parser.error(f"{BINARY} is missing: ./dev build")
    if arguments.what == "release" and not arguments.key.exists():
        parser.error(f"{arguments.key} is missing: minisign -G makes a key")
    try:
        if arguments.what == "deb":
            made = [build_deb(arguments.out)]
            lint(made[0])
        elif arguments.what == "package":
            made = package(arguments.out)
        else:
            dist = release(package(arguments.out), ROOT / "dist", arguments.key)
            made = sorted(dist.iterdir())
    except (RuntimeError, subprocess.CalledProcessError) as error:
        sys.exit(f"package: {error}")
    for path in made:
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


if __name__ == "__main__":
    main()
