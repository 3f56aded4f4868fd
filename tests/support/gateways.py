"""Gateways in front of a toy shop, each with the files that `maejin snippet` prints for it: a `with` block
runs one. Envoy and Traefik are not in Debian; protocol_gateways.py speaks their protocols instead."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

import harness
import protocol_gateways

NODE = harness.ROOT / "web/node_modules/.bin/node"
IN_EVERY_RUN = ["nginx", "njs", "express"]
ONLY_IN_ALL = ["worker", "caddy", "haproxy", "apache", "spring", "traefik", "envoy"]
# Verify passes themselves; the room needs verify: "offline".
OFFLINE = ["njs", "express", "worker", "spring"]
# Also route maejin's waiting page; for the others the site's own application does.
SERVE_PAGES = ["nginx", "njs", "worker", "caddy", "haproxy", "apache", "traefik", "envoy"]
# Pass `Maejin-Session: end` of the shop on.
END_SESSIONS = ["nginx", "njs", "express", "worker", "haproxy", "apache", "spring"]


def snippet(kind, *arguments):
    code, text, error = harness.run("snippet", kind, *arguments)
    assert code == 0, error
    return text


@contextlib.contextmanager
def running(command, port, log, **options):
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen([str(each) for each in command], stdout=output, stderr=output,
                                   preexec_fn=harness.die_with_parent, **options)
        try:
            harness.until(lambda: harness.listens(port) or process.poll() is not None)
            assert process.poll() is None, pathlib.Path(log).read_text(encoding="utf-8")[-2000:]
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def nginx_config(folder, inside, modules=""):
    kinds = ("proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"{name}_temp_path {folder}/{name};" for name in kinds)
    # Its workers must reach the folder of the test.
    user = "user root;" if os.getuid() == 0 else ""
    return f"""{modules}
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    large_client_header_buffers 4 16k;
    {temporary}
    {inside}
}}
"""


def nginx_program(folder):
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    return [binary, "-c", folder / "nginx.conf", "-p", folder, "-e", folder / "error.log"]


def nginx(folder, port, flags, change):
    text = change(snippet("nginx", *flags))
    server = f"server {{ listen 127.0.0.1:{port};\n{text}\n}}"
    (folder / "nginx.conf").write_text(nginx_config(folder, server), encoding="utf-8")
    return running(nginx_program(folder), port, folder / "log")


def njs(folder, port, flags, change):
    text = change(snippet("njs", *flags)).replace("/var/cache/nginx-maejin", str(folder / "cache"))
    (folder / "maejin.js").write_text(change(snippet("njs", "maejin.js", *flags)), encoding="utf-8")
    module = "load_module /usr/lib/nginx/modules/ngx_http_js_module.so;"
    config = nginx_config(folder, f"js_path {folder};\nsubrequest_output_buffer_size 64k;\n{text}", module)
    (folder / "nginx.conf").write_text(config, encoding="utf-8")
    return running(nginx_program(folder), port, folder / "log")


def caddy(folder, port, flags, change):
    head = "{\n\tadmin off\n\tauto_https off\n}\n"
    (folder / "Caddyfile").write_text(head + change(snippet("caddy", *flags)), encoding="utf-8")
    environment = harness.clean_environment(HOME=str(folder), XDG_DATA_HOME=str(folder))
    return running(["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"], port,
                   folder / "log", env=environment)


def haproxy(folder, port, flags, change):
    (folder / "haproxy.cfg").write_text(change(snippet("haproxy", *flags)), encoding="utf-8")
    (folder / "maejin.lua").write_text(change(snippet("haproxy", "maejin.lua", *flags)), encoding="utf-8")
    binary = shutil.which("haproxy") or "/usr/sbin/haproxy"
    return running([binary, "-db", "-f", "haproxy.cfg"], port, folder / "log", cwd=folder)


APACHE_MODULES = ("mpm_event", "authz_core", "lua", "proxy", "proxy_http", "headers", "setenvif")


def apache(folder, port, flags, change):
    (folder / "maejin.conf").write_text(change(snippet("apache", *flags)), encoding="utf-8")
    (folder / "maejin.lua").write_text(change(snippet("apache", "maejin.lua", *flags)), encoding="utf-8")
    modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so"
                        for name in APACHE_MODULES)
    (folder / "httpd.conf").write_text(f"""
ServerRoot {folder}
ServerName 127.0.0.1
PidFile {folder}/httpd.pid
ErrorLog {folder}/error.log
DefaultRuntimeDir {folder}
{modules}
Listen 127.0.0.1:{port}
User www-data
Group www-data
LimitRequestLine 16380
Define MAEJIN_FOLDER {folder}
CustomLog {folder}/access.log "%r" env=!maejin_return
Include {folder}/maejin.conf
""", encoding="utf-8")
    for parent in [folder, *folder.parents][:4]:
        parent.chmod(0o755)
    binary = shutil.which("apache2") or "/usr/sbin/apache2"
    return running([binary, "-d", folder, "-f", folder / "httpd.conf", "-DFOREGROUND"], port, folder / "log")


EXPRESS_MAIN = """
import {{ createServer, request }} from 'node:http';
import {{ maejin }} from './maejin.mjs';
const gate = maejin();
createServer((asked, answer) => gate(asked, answer, () => {{
  const {{ url: path, method, headers }} = asked;
  const options = {{ port: {shop}, host: '127.0.0.1', path, method, headers }};
  asked.pipe(request(options, (said) => {{
    answer.statusCode = said.statusCode;
    for (const [name, value] of Object.entries(said.headers)) answer.setHeader(name, value);
    said.pipe(answer);
  }}));
}})).listen({port}, '127.0.0.1');
"""

# A server of node:http that calls the worker's handler as the edge does.
WORKER_MAIN = """
import {{ createServer }} from 'node:http';
import {{ Readable }} from 'node:stream';
import worker from './maejin.mjs';
createServer(async (asked, answer) => {{
  const bare = ['GET', 'HEAD'].includes(asked.method);
  const body = bare ? {{}} : {{ body: Readable.toWeb(asked), duplex: 'half' }};
  const headers = new Headers();
  for (let i = 0; i < asked.rawHeaders.length; i += 2) {{
    const [name, value] = asked.rawHeaders.slice(i, i + 2);
    if (!/^(connection|cf-connecting-ip)$/i.test(name)) headers.append(name, value);
  }}
  headers.set('CF-Connecting-IP', asked.socket.remoteAddress);
  const url = `http://${{asked.headers.host}}${{asked.url}}`;
  const later = [];
  const request = new Request(url, {{ method: asked.method, headers, ...body }});
  const said = await worker.fetch(request, {{}}, {{ waitUntil: (each) => later.push(each) }});
  answer.statusCode = said.status;
  for (const [name, value] of said.headers)
    if (!/^(transfer-encoding|content-length|content-encoding)$/.test(name)) answer.appendHeader(name, value);
  answer.end(Buffer.from(await said.arrayBuffer()));
}}).listen({port}, '127.0.0.1');
"""


def in_node(main):
    def start(folder, port, flags, change):
        kind = "express" if main is EXPRESS_MAIN else "worker"
        shop = flags[flags.index("--shop") + 1].rsplit(":", 1)[1]
        (folder / "maejin.mjs").write_text(change(snippet(kind, *flags)), encoding="utf-8")
        (folder / "main.mjs").write_text(main.format(shop=shop, port=port), encoding="utf-8")
        return running([NODE, "--max-http-header-size=32768", folder / "main.mjs"], port, folder / "log")

    return start


def spring(folder, port, flags, change):
    """The verifier alone, under the HTTP server of the JDK."""
    shop = flags[flags.index("--shop") + 1]
    text = change(snippet("spring", "MaejinGate.java", *flags))
    (folder / "MaejinGate.java").write_text(text, encoding="utf-8")
    main = (harness.ROOT / "tests/support/GatewayMain.java").read_text(encoding="utf-8")
    (folder / "GatewayMain.java").write_text(main, encoding="utf-8")
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-d", folder, folder / "MaejinGate.java",
                    folder / "GatewayMain.java"], check=True)
    return running(["java", "-XX:TieredStopAtLevel=1", "-cp", folder, "GatewayMain", str(port), shop], port,
                   folder / "log")


def traefik(folder, port, flags, change):
    return protocol_gateways.Traefik(change(snippet("traefik", *flags)), port)


def envoy(folder, port, flags, change):
    return protocol_gateways.Envoy(change(snippet("envoy", *flags)), port)


STARTS = {
    "nginx": nginx, "njs": njs, "express": in_node(EXPRESS_MAIN), "worker": in_node(WORKER_MAIN),
    "caddy": caddy, "haproxy": haproxy, "apache": apache, "spring": spring, "traefik": traefik, "envoy": envoy
}


def start(kind, folder, port, flags, change=lambda text: text):
    """Runs the gateway on the port. `change` alters each file before the start."""
    folder.mkdir(parents=True)
    return STARTS[kind](folder, port, ["--listen", f"127.0.0.1:{port}", *flags], change)


def main(kind, folder, port, *flags):
    """Runs until standard input ends: for the browser tests."""
    with start(kind, pathlib.Path(folder), int(port), list(flags)):
        print("ready", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
