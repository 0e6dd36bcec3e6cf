"""Locations that a configuration or a manifest may name, and refused ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zarr.storage import LocalStore, ObjectStore

from choco_pipeline.errors import StoreError
from choco_pipeline.tables.location import Location, reason, without_secrets

SECRET = st.text("abcXYZ019/+=", min_size=4, max_size=30)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("s3://bucket", "s3://bucket"),
        ("s3://bucket/", "s3://bucket"),
        ("s3://my.bucket-1/a/b_c", "s3://my.bucket-1/a/b_c"),
        ("gs://bucket/prefix", "gs://bucket/prefix"),
        ("az://container/prefix", "az://container/prefix"),
    ],
)
def test_a_url_is_taken_as_it_is(url, path):
    location = Location.of_url(url)
    assert str(location) == location.path == path
    assert location.folder is None
    assert Location.of_url(str(location.child("x.zarr"))).path == f"{path}/x.zarr"


@pytest.mark.parametrize(
    "url",
    [
        "results/tables", "", "s3:/bucket", "s3:bucket", "S3://bucket", "http://host/x", "memory://x", "local://x",
        "simplecache::s3://bucket", "reference://x", "sftp://host/x", "://x", " s3://bucket",
        "s3://", "s3:///", "s3://a/../b", "s3://a b", "s3://a\n", "s3://a/%2e%2e/b", "s3://ä", "file://",
    ],
)  # fmt: skip
def test_anything_else_is_no_url_of_an_object_store(url):
    with pytest.raises(StoreError, match="needs "):
        Location.of_url(url)


@given(key=SECRET, secret=SECRET)
def test_a_url_with_credentials_is_refused_and_not_repeated(key, secret):
    for url in (
        f"s3://{key}:{secret}@bucket/prefix",
        f"s3://bucket/prefix?key={secret}",
        f"s3://bucket/prefix#{secret}",
        f"s3://{key}:{secret}@bucket/prefix?sig={secret}",
        f"http://{key}:{secret}@host/",
    ):
        with pytest.raises(StoreError) as raised:
            Location.of_url(url)
        assert f"{secret}@" not in str(raised.value)
        assert f"={secret}" not in str(raised.value)
        assert f"#{secret}" not in str(raised.value)
        if url.startswith("s3"):
            assert "credentials come from the environment" in str(raised.value)


def test_a_file_url_stays_inside_the_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inside = Location.of_url(f"file://{tmp_path}/results/elsewhere")
    assert inside.folder == tmp_path / "results" / "elsewhere"
    inside.write("x", b"1")
    assert Location.of_url(str(inside)).read("x") == b"1"
    (tmp_path / "results" / "out").symlink_to(tmp_path)
    for outside in (f"{tmp_path}", f"{tmp_path}/results2", "/etc", f"{tmp_path}/results/out/x"):
        with pytest.raises(StoreError, match="must be inside"):
            Location.of_url(f"file://{outside}")


def test_zarr_gets_a_folder_or_a_driver(tmp_path):
    assert isinstance(Location.local(tmp_path).store(), LocalStore)
    assert isinstance(Location.of_url("s3://bucket/prefix").store(), ObjectStore)


def test_a_write_appears_whole(tmp_path, monkeypatch):
    location = Location.local(tmp_path)
    location.write("a/b", b"before")
    monkeypatch.setattr(
        "pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left"))
    )
    with pytest.raises(
        StoreError, match=r"a/b cannot be written \(No space left: [\d,]+ bytes are free in "
    ):
        location.write("a/b", b"after")
    assert location.read("a/b") == b"before"
    assert list(location.files()) == [("a/b", 6)]


def test_a_reason_is_one_line_without_secrets():
    said = reason(
        ValueError(
            "Generic error: PUT http://me:pa/ss@host/bucket/x?X-Amz-Signature=abc failed: <?xml version?>\n<Error>"
        )
    )
    assert said == "Generic error: PUT http://…@host/bucket/x?… failed:"
    assert reason(OSError(28, "No space left on device")) == "No space left on device"
    assert (
        reason(ValueError("x\n<Message>Access Denied.</Message><Key>k</Key>")) == "Access Denied."
    )
    nobody = "Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 1s"
    assert reason(ValueError(nobody)).startswith("no credentials in the environment")
    assert reason(KeyError()) == "KeyError"
    assert without_secrets("nothing to hide") == "nothing to hide"
