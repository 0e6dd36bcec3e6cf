"""JSON that anybody may have written: read whole, or refused with what is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.documents.files import parse_json, read_json, write_json
from choco_pipeline.errors import StoreError

PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(alphabet="ab\\u😀"), inside),
    max_leaves=20,
)


@given(PARTS)
def test_what_is_written_is_read(document):
    for ascii_only in (True, False):
        assert parse_json(json.dumps(document, ensure_ascii=ascii_only)) == document


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"status": "proved", "status": "refuted"}', "the key 'status' occurs twice"),
        ('[{"a": {"b": 1, "c": 2, "b": 1}}]', "the key 'b' occurs twice"),
        ("[NaN]", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[1e999]", "the number 1e999 is too large"),
        ("[" * 101 + "]" * 101, "nested more than 100 deep"),
        ('{"a":' * 101 + "1" + "}" * 101, "nested more than 100 deep"),
        ("[" * 100_000, "nested more than 100 deep"),
        ('["\\ud800"]', "half of a surrogate pair is not a character"),
        ('{"\\udfff": 1}', "half of a surrogate pair is not a character"),
        ("9" * 5000, "not a JSON document"),
        ("", "not a JSON document"),
    ],
)
def test_other_documents_are_refused(tmp_path, text, why):
    path = tmp_path / "document.json"
    path.write_text(text)
    with pytest.raises(StoreError, match=r"document\.json: not a JSON document") as caught:
        read_json(path)
    assert why in str(caught.value)


def test_a_hundred_deep_is_read(tmp_path):
    text = "[" * 100 + "]" * 100
    assert json.dumps(parse_json(text)) == text


def test_bytes_that_are_no_text_and_missing_files(tmp_path):
    path = tmp_path / "document.json"
    path.write_bytes(b'["\xff"]')
    with pytest.raises(StoreError, match="not a JSON document"):
        read_json(path)
    with pytest.raises(StoreError, match="cannot be read"):
        read_json(tmp_path / "none.json")


def test_no_more_is_read_than_may_be_and_a_document_appears_whole(tmp_path):
    path = tmp_path / "a" / "document.json"
    write_json(path, ["a" * 10])
    assert read_json(path, path.stat().st_size) == ["a" * 10]
    assert list(path.parent.iterdir()) == [path], "no partial file is left"
    with pytest.raises(StoreError, match="too large, at most 5 bytes are read"):
        read_json(path, 5)
