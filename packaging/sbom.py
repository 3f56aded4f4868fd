"""The software bill of materials, in SPDX 2.3: Debian's libraries at run time, Debian's packages of the
build, and the packages of the web pages."""
import base64
import datetime
import hashlib
import json
import re
import subprocess
import uuid

BUILD_LIST = re.compile(r"^build_packages=\(\n(.*?)^\)", re.M | re.S)


def installed(names):
    """{name: (version, architecture)} of the installed packages among the names."""
    done = subprocess.run([
        "dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\n",
        *sorted(names)
    ], capture_output=True, text=True, check=False)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {
        name: (version, architecture) for name, version, architecture, status in rows if status == "installed"
    }


def build_dependencies(root):
    """The packages of ./dev setup's list for a build."""
    text = BUILD_LIST.search((root / "dev").read_text(encoding="utf-8")).group(1)
    return text.split()


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def debian_package(name, version, architecture):
    return {"SPDXID": spdx_id("Debian", name), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "supplier": "Organization: Debian",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{name}@{version}?arch={architecture}"}]}


def web_packages(root):
    """One SPDX package for each entry of package-lock.json. Two versions of a name are two packages."""
    lock = json.loads((root / "web/package-lock.json").read_text(encoding="utf-8"))
    packages = {}
    for path, entry in lock["packages"].items():
        if not path or "version" not in entry:
            continue
        name, version = path.rpartition("node_modules/")[2], entry["version"]
        made = {"SPDXID": spdx_id("Npm", f"{name}-{version}"), "name": name, "versionInfo": version,
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                "licenseDeclared": licence(entry.get("license")), "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:npm/{name.replace('@', '%40')}@{version}"}]}
        if entry.get("integrity", "").startswith("sha512-"):
            digest = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
            made["checksums"] = [{"algorithm": "SHA512", "checksumValue": digest}]
        packages[made["SPDXID"]] = made
    return list(packages.values())


def licence(text):
    """The licence expression, where package-lock has one that looks like SPDX's."""
    return text if text and re.fullmatch(r"[A-Za-z0-9.+() -]+", text) else "NOASSERTION"


def document(root, version, seconds, run_time):
    """The bill as JSON text. The same inputs give the same bytes."""
    program = {
        "SPDXID": "SPDXRef-maejin", "name": "maejin", "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION"
    }
    libraries, tools = installed(run_time), installed(build_dependencies(root))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-maejin")]
    relations += [("SPDXRef-maejin", "DEPENDS_ON", spdx_id("Debian", name)) for name in sorted(libraries)]
    relations += [(spdx_id("Debian", name), "BUILD_DEPENDENCY_OF", "SPDXRef-maejin")
                  for name in sorted(tools)]
    debian = {**libraries, **tools}
    web = sorted(web_packages(root), key=lambda package: package["SPDXID"])
    relations += [(package["SPDXID"], "BUILD_DEPENDENCY_OF", "SPDXRef-maejin") for package in web]
    packages = [program, *(debian_package(name, *debian[name]) for name in sorted(debian)), *web]
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = hashlib.sha256(json.dumps([packages, created], sort_keys=True).encode()).hexdigest()
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"maejin-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "creationInfo": {"created": created, "creators": ["Tool: maejin-packaging"]},
        "packages": packages,
        "relationships": [{"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": object_}
                          for subject, kind, object_ in relations]}, indent=1) + "\n"
