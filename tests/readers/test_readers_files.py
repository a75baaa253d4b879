from __future__ import annotations

import builtins
import codecs
import gzip
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank._support.files import read_text, safe_name
from truerank._support.outputs import write_file
from truerank.errors import InputError
from truerank.readers import read_scores


def test_plain_gzip_and_byte_order_mark_read_alike(write):
    assert read_text(write("a.txt", "x\ny\n")) == "x\ny\n"
    assert read_text(write("gzip-by-content.csv", "x\ny\n", compress=True)) == "x\ny\n"
    assert read_text(write("b.txt", b"\xef\xbb\xbfx\n")) == "x\n"
    assert read_text(write("c.txt", b"\xef\xbb\xbfx\n", compress=True)) == "x\n"
    two_members = gzip.compress(b"x\n") + gzip.compress(b"y\n")
    assert read_text(write("d.gz", two_members)) == "x\ny\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n  \n\t\n", "only blank lines"),
        (b"a,b\n1,\x00\n", ":2: a binary file.* UTF-8"),
        (b"a,b\n1,2\n\xe9t\xe9,3\n", ":3: byte 0xe9 is not UTF-8; save it as UTF-8 text"),
        (b"\xff\xfea\x00,\x00b\x00\n\x00\x00\xd8", "broken UTF-16 text; save it as UTF-8"),
        (gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "broken gzip"),
    ],
)
def test_unusable_content_is_one_line(write, content, message):
    path = write("scores.csv", content)
    with pytest.raises(InputError, match=message) as caught:
        read_text(path)
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_text_in_utf_16_is_read(write, mark):
    """As Excel saves "Unicode text": tabs, and a byte order mark."""
    text = "topic\tA\tÜ\r\nq1\t0.5\t0.25\r\nq2\t0.75\t1\r\n"
    encoded = text.encode("utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be")
    scores = read_scores(write("scores.txt", mark + encoded))
    assert (scores.systems, scores.topics) == (("A", "Ü"), ("q1", "q2"))
    assert scores.values.tolist() == [[0.5, 0.25], [0.75, 1]]


def test_unusable_paths(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="no such file"):
        read_text(tmp_path / "none.csv")
    with pytest.raises(InputError, match="a folder"):
        read_text(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_text("a\0b")

    def refuse(*_args, **_kwargs):
        raise PermissionError

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(InputError, match="no permission"):
        read_text(tmp_path / "secret.csv")


def test_a_written_file_replaces_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    write_file(target, "new")
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_file_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"folder .* does not exist; create it"):
        write_file(tmp_path / "no" / "x", "")
    with pytest.raises(InputError, match="this is a folder"):
        write_file(tmp_path, "")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="no permission to write"):
        write_file(tmp_path / "x", "")


@given(st.lists(st.text(max_size=120), unique=True, max_size=20))
def test_safe_names_are_safe_and_distinct(names):
    safe = [safe_name(name) for name in names]
    assert len(set(safe)) == len(names)
    for name in safe:
        assert name
        assert len(name) < 100
        assert name.isascii()
        assert not set(name) & set('/\\:*?"<>|\0 \n')
        assert not name.startswith((".", "-"))
