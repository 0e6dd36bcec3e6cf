"""docs/object-stores.md, followed with a store of one's own."""

from uuid import uuid4

import pytest

from tests.docs.pages import Page, in_a_clone, in_a_shell
from tests.objectstore.server import BUCKET

pytestmark = pytest.mark.full

PAGE = Page("object-stores.md")
SWEEPS = "{nim: {ruleset: nim(2), bound: 20, quantity: grundy}}"


def test_the_page_does_what_it_says(project, server, monkeypatch):
    url = f"s3://{BUCKET}/{uuid4().hex}"
    config = PAGE.block("my-sweep.yaml", {"s3://bucket/prefix": url, "…": SWEEPS})
    (project.folder / "my-sweep.yaml").write_text(config)
    in_a_clone(project.folder)
    own = server.environment()
    typed = PAGE.block(
        "export AWS_ACCESS_KEY_ID",
        {
            "AWS_ACCESS_KEY_ID=…": f"AWS_ACCESS_KEY_ID={own['AWS_ACCESS_KEY_ID']}",
            "AWS_SECRET_ACCESS_KEY=…": f"AWS_SECRET_ACCESS_KEY={own['AWS_SECRET_ACCESS_KEY']}",
            "AWS_REGION=eu-central-1": f"AWS_REGION={own['AWS_REGION']}",
            "https://s3.example.org": own["AWS_ENDPOINT_URL"],
        },
    )
    environment = {name: text for name, text in project.environment.items() if name not in own}
    environment["AWS_DISABLE_BULK_DELETE"] = own[
        "AWS_DISABLE_BULK_DELETE"
    ]  # as the page's table says
    printed = in_a_shell(typed, project.folder, environment).stdout
    assert "report: results/my-sweep/report/index.html" in printed

    (manifest,) = project.manifests().values()
    assert manifest["store"].startswith(url)
    (table,) = manifest["tables"]
    for name, value in {**own, "AWS_ALLOW_HTTP": "true"}.items():
        monkeypatch.setenv(name, value)
    reading = PAGE.block(
        "import xarray", {"s3://bucket/prefix/<shard>.zarr": manifest["store"], "<table id>": table}
    )
    known: dict = {}
    exec(reading, known)
    assert known["table"]["grundy"].values[3, 5] == 3 ^ 5
