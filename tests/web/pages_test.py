"""Unit tests of the pages (vitest), their types, and svelte-check warnings."""
import os
import pathlib
import subprocess

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
NODE = WEB / "node_modules/.bin/node"


def run(*command, seconds=300):
    environment = {**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}", "CI": "1", "NO_COLOR": "1"}
    done = subprocess.run([NODE, *command], cwd=WEB, env=environment, capture_output=True, text=True,
                          timeout=seconds)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_page_logic_passes_its_unit_tests():
    assert "passed" in run("node_modules/vitest/vitest.mjs", "run")


def test_types_and_markup_have_no_warning():
    """The pages use types generated from openapi.yaml, so an incompatible change fails here."""
    run("node_modules/openapi-typescript/bin/cli.js", "../openapi.yaml", "-o", "generated/api.ts")
    run("node_modules/svelte-check/bin/svelte-check", "--fail-on-warnings", "--threshold", "warning")


def test_lock_file_names_no_registry():
    assert '"resolved"' not in (WEB / "package-lock.json").read_text()
