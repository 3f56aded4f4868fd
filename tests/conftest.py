"""Fixtures for every black-box test, and the path to the modules they share (tests/support)."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import harness  # pylint: disable=wrong-import-position


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for the tests of a file; each test makes its own concerts."""
    with harness.Server(tmp_path_factory.mktemp("maejin") / "data") as running:
        yield running


@pytest.fixture
def client(server):
    connection = server.client()
    yield connection
    connection.close()


@pytest.fixture
def admin(server):
    connection = server.admin()
    yield connection
    connection.close()
