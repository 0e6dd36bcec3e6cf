"""Locations in a folder and in an object store do the same."""

import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choco_pipeline.errors import ConfigError, StoreError
from choco_pipeline.tables.location import Location
from tests.effort import examples
from tests.objectstore.flaky import Flaky
from tests.objectstore.server import BUCKET

pytestmark = pytest.mark.full

# Of one depth below each first letter, for a folder cannot also be a file.
NAMES = st.sampled_from(["a/x", "a/y/z.json", "b/x", "b/xx", "c", "cc"])
STEPS = st.lists(
    st.tuples(st.just("write"), NAMES, st.binary(max_size=50))
    | st.tuples(st.just("remove"), NAMES | st.sampled_from(["a", "a/y", "b", "d"]), st.none()),
    max_size=8,
)


@pytest.fixture(params=["folder", "object store"])
def place(request, tmp_path):
    if request.param == "folder":
        return Location.local(tmp_path)
    return request.getfixturevalue("remote")


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_it_holds_what_was_written_and_not_removed(place, steps):
    here = place.child("test")
    for name in ("a", "b", "c", "cc"):
        here.remove(name)
    held: dict[str, bytes] = {}
    for what, name, content in steps:
        if what == "write":
            here.write(name, content)
            held[name] = content
        else:
            here.remove(name)
            held = {n: c for n, c in held.items() if n != name and not n.startswith(f"{name}/")}
        assert list(here.files()) == sorted((n, len(c)) for n, c in held.items())
    for name, content in held.items():
        assert here.read(name) == place.read(f"test/{name}") == content
    below_a = sorted((n, len(c)) for n, c in held.items() if n.startswith("a/"))
    assert list(here.files("a")) == below_a


def test_what_is_not_there_cannot_be_read(place):
    place.write("yes", b"1")
    with pytest.raises(StoreError, match=r"no cannot be read \(.*(exist|No such file)"):
        place.read("no")
    assert (place.read_if_there("no"), place.read_if_there("yes")) == (None, b"1")
    assert place.read_if_there("yes/no") is None


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x"])
def test_a_name_cannot_lead_out(place, name):
    for method in (
        place.read,
        place.remove,
        place.child,
        lambda n: place.write(n, b""),
    ):
        with pytest.raises(StoreError, match="may not lead out"):
            method(name)


def test_it_can_be_sent_without_its_credentials(remote, login):
    remote.write("x", b"1")  # by now it holds a driver that has read them
    sent = pickle.dumps(remote)
    assert pickle.loads(sent) == remote
    assert login.secret.encode() not in sent
    assert login.key.encode() not in sent


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "wrong/wrong"}, "signature"),
        ({"AWS_ACCESS_KEY_ID": "nobody"}, "Access Key Id you provided does not exist"),
    ],
)
@pytest.mark.parametrize("method", ["write", "read", "files"])
def test_wrong_credentials_are_one_line_without_them(
    remote, login, monkeypatch, method, changes, says
):
    for name, value in changes.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StoreError, match=says) as raised:
        {
            "write": lambda: remote.write("x", b""),
            "read": lambda: remote.read("x"),
            "files": lambda: list(remote.files()),
        }[method]()
    said = str(raised.value)
    assert "\n" not in said
    assert remote.path in said
    for secret in (login.key, login.secret, *changes.values()):
        assert secret not in said


def test_a_missing_bucket_is_named(login):
    nowhere = Location.of_url(f"s3://no-{BUCKET}/prefix")
    with pytest.raises(StoreError, match=rf"s3://no-{BUCKET}/prefix: x .*bucket does not exist"):
        nowhere.write("x", b"")
    with pytest.raises(StoreError, match="bucket does not exist"):
        list(nowhere.files())


def test_a_bad_network_is_tried_again(remote, login, monkeypatch):
    flaky = Flaky(login.port)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{flaky.port}")
    contents = {f"name{i}": bytes([i]) * 2000 for i in range(12)}
    for name, content in contents.items():
        remote.write(name, content)
    assert {name: remote.read(name) for name, _ in remote.files()} == contents
    flaky.close()
    assert min(flaky.dropped, flaky.busy, flaky.cut) > 1, vars(flaky)


def test_without_the_driver_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"obstore.*`object-store`"):
        Location.of_url("s3://bucket/prefix").read("manifest")
