"""Records: what was not written is not read."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.documents.record import (
    DamagedError,
    read_record,
    write_record,
)
from choco_pipeline.errors import StoreError
from tests.documents.test_json_file import PARTS

CONTENT = {"verdict": "refuted", "position": [2, 1, 3], "by": {"2": 0.5, "10": None}, "a": "⊕"}


@pytest.fixture
def path(tmp_path):
    write_record(tmp_path / "a" / "b.json", CONTENT)
    return tmp_path / "a" / "b.json"


@given(st.dictionaries(st.text().filter(lambda key: key != "digest"), PARTS))
def test_what_is_written_is_read(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "record.json"
    try:
        write_record(path, content)
    except UnicodeEncodeError:  # half of a pair
        return
    with suppress(DamagedError):  # nested too deeply
        assert read_record(path) == content


def test_numbers_as_keys_and_tuples_come_back_as_json_has_them(tmp_path):
    write_record(tmp_path / "r.json", {"counts": {10: 1, 9: 2}, "box": (1, 2)})
    assert read_record(tmp_path / "r.json") == {"counts": {"10": 1, "9": 2}, "box": [1, 2]}


def damage(path):
    try:
        read_record(path)
    except DamagedError as error:
        return str(error)
    return None


def test_a_flipped_bit_of_every_byte_is_found_or_harmless(path):
    written, found = path.read_bytes(), 0
    for at in range(len(written)):
        for bit in (at % 8, (at + 3) % 8):
            flipped = bytearray(written)
            flipped[at] ^= 1 << bit
            path.write_bytes(flipped)
            if (why := damage(path)) is None:
                assert read_record(path) == CONTENT
            else:
                found += 1
                assert why.startswith(f"{path}: damaged: ")
                assert why.endswith("; `choco run` writes it again")
    assert found > 0.9 * 2 * len(written.replace(b" ", b""))


def test_another_layout_says_the_same(path):
    path.write_text(json.dumps(json.loads(path.read_text()), indent=7))
    assert read_record(path) == CONTENT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a JSON document"),
        ("[1]", "it has no digest"),
        (json.dumps(CONTENT), "it has no digest"),
        (json.dumps({**CONTENT, "digest": 1}), "its content does not match its digest"),
    ],
)
def test_what_is_no_record_is_refused(path, text, message):
    path.write_text(text)
    with pytest.raises(DamagedError, match=message):
        read_record(path)


def test_a_missing_record_is_not_a_damaged_one(tmp_path):
    with pytest.raises(StoreError, match="cannot be read") as raised:
        read_record(tmp_path / "none.json")
    assert not isinstance(raised.value, DamagedError)


def test_a_content_with_a_digest_of_its_own_is_a_mistake(tmp_path):
    with pytest.raises(ValueError, match="is reserved"):
        write_record(tmp_path / "r.json", {"digest": "0"})
