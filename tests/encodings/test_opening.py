"""How the encoding of a file is decided, and what its bytes become."""

from __future__ import annotations

import gzip
import io
import marshal
import random
import sqlite3
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.encodings.opening import declared_encoding, open_text
from redline.core.errors import InvalidArgument, UnsupportedEncoding
from tests.encodings.paragraphs import CZECH, FRENCH, GERMAN, PARAGRAPHS, RUSSIAN
from tests.encodings.samples import SAMPLES, Sample

EACH = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])


@EACH
@pytest.mark.requirement("encodings-order")
def test_paragraphs_are_recognized(sample: Sample) -> None:
    file = open_text(sample.raw)
    assert (file.encoding, file.text) == (sample.encoding, sample.text)
    assert file.with_text(sample.text) == sample.raw


@pytest.mark.requirement("encodings-order")
@pytest.mark.parametrize(
    "head",
    [
        b"# -*- coding: cp1251 -*-\n",
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1251 :\n",
        b"// -*- coding: windows-1251 -*-\n",
        b'<?xml version="1.0" encoding="windows-1251"?>\n',
        b"<!DOCTYPE html>\n<html><head><meta charset=windows-1251>\n",
        b'<html><meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\n',
        b'@charset "windows-1251";\n',
    ],
)
def test_a_declaration_is_believed_where_nothing_could_be_detected(head: bytes) -> None:
    raw = head + "я".encode("cp1251")
    assert open_text(raw).encoding == "cp1251"
    assert open_text("я".encode("cp1251")).encoding == "utf-8"


@pytest.mark.requirement("encodings-order")
@pytest.mark.parametrize(
    "raw",
    [
        b"x = 'coding: cp1251'\n",
        b"one\ntwo\n# coding: cp1251\n",
        b"# coding: klingon\n",
        b"text <meta charset=cp1251>",
        b"<?xml version='1.0'?>",
    ],
)
def test_words_elsewhere_declare_nothing(raw: bytes) -> None:
    assert declared_encoding(raw) is None


@pytest.mark.requirement("encodings-lazy")
def test_looking_for_a_declaration_takes_no_time_on_hostile_text() -> None:
    start = time.process_time()
    for raw in (
        b"<!---->" * 146,
        b"#coding" * 200,
        b"<meta " * 200,
        b"<!doctype html>" + b"<meta " * 200,
    ):
        assert declared_encoding(raw) is None
    assert time.process_time() - start < 1


@pytest.mark.requirement("encodings-order")
def test_utf16_without_a_nul_at_its_start_is_text() -> None:
    text = "本模块负责读取用户配置" * 200 + "\n" + "请不要在生产环境中打开调试模式。\n" * 40
    assert open_text(text.encode("utf-16-le")).text == text


@pytest.mark.requirement("encodings-order")
def test_a_mark_goes_before_a_declaration_and_that_before_utf8() -> None:
    cookie = "# coding: cp1251\n"
    assert open_text(b"\xef\xbb\xbf" + (cookie + "я").encode()).encoding == "utf-8"
    assert open_text(b"\xff\xfe" + (cookie + "я").encode("utf-16-le")).encoding == "utf-16-le"
    both = open_text((cookie + "я").encode())
    assert (both.encoding, both.text) == ("cp1251", cookie + "СЏ")
    with pytest.raises(InvalidArgument, match="cp1251 or utf-8"):
        both.with_text(both.text + "ж")
    assert open_text(both.raw, "utf-8").text == cookie + "я"


@pytest.mark.requirement("encodings-order")
def test_a_file_with_many_utf8_letters_is_utf8_whatever_it_declares() -> None:
    raw = ("<html><meta charset=iso-8859-1>\n" + GERMAN).encode()
    assert open_text(raw).encoding == "utf-8"


@pytest.mark.requirement("encodings-order")
def test_letters_added_to_an_ascii_file_are_written_as_it_declares() -> None:
    file = open_text(b"# coding: koi8-r\nx = 1\n")
    assert file.encoding == "utf-8"
    assert file.with_text("# coding: koi8-r\nx = 'я'\n") == "# coding: koi8-r\nx = 'я'\n".encode(
        "koi8-r"
    )
    configured = open_text(b"x = 1\n", configured=lambda: "cp1252")
    assert configured.with_text("x = 'é'\n") == b"x = '\xe9'\n"
    with pytest.raises(InvalidArgument, match=r"cp1252.* line 2: я \(U\+044F\)"):
        configured.with_text("x\nя")


@pytest.mark.requirement("encodings-no-guess")
def test_letters_that_likely_encodings_write_alike_are_added_and_others_refused() -> None:
    raw = "Überprüfen Sie, ob die Größe der Anhänge für alle Empfänger möglich ist.\n".encode(
        "cp1252"
    )
    file = open_text(raw)
    assert file.encoding == "cp1252"
    assert file.with_text(file.text + "é") == raw + b"\xe9"
    for letter in "€Ž":
        said = rf"may be in cp1252 or .* line 2: {letter} \("
        with pytest.raises(InvalidArgument, match=said):
            file.with_text(file.text + letter)
    assert open_text(raw, "iso8859-15").with_text(file.text + "€") == raw + b"\xa4"


@pytest.mark.requirement("encodings-no-guess")
def test_a_sign_that_a_codec_would_silently_replace_is_refused() -> None:
    file = open_text(PARAGRAPHS["shift_jis"].encode("shift_jis"))
    with pytest.raises(InvalidArgument, match=r"¥ \(U\+00A5\)"):
        file.with_text(file.text + "¥")


@pytest.mark.requirement("encodings-no-guess")
def test_bytes_that_would_not_come_back_are_not_edited() -> None:
    raw = b"\x87\x90\n" + PARAGRAPHS["shift_jis"].encode("cp932")
    file = open_text(raw, "cp932")
    assert file.text.startswith("≒")
    with pytest.raises(InvalidArgument, match="same bytes"):
        file.with_text(file.text + "x")


@pytest.mark.requirement("encodings-order")
@pytest.mark.parametrize(
    "name", ["", "klingon", "hex", "rot13", "utf-7", "hz", "idna", "a\0b", "ü"]
)
def test_what_is_no_encoding_of_text_is_refused_with_examples(name: str) -> None:
    with pytest.raises(InvalidArgument, match="Unknown encoding") as error:
        open_text(b"x", name)
    assert "gbk" in str(error.value.hint)


@pytest.mark.requirement("encodings-order")
def test_an_encoding_that_the_bytes_are_not_in_is_refused() -> None:
    with pytest.raises(UnsupportedEncoding, match="Not gbk, byte 2"):
        open_text(b"ab\xff\xff", "gbk")
    with pytest.raises(UnsupportedEncoding, match="NUL"):
        open_text(b"a\0b\0", "latin-1")


def _binaries() -> dict[str, bytes]:
    """Files of many binary formats, made here."""
    rng = random.Random(5)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", RUSSIAN)
    pixels = b"".join(b"\0" + rng.randbytes(96) for _ in range(32))
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(pixels)),
    ]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*chunks, (b"IEND", b"")]
    )
    code = compile("def f(x):\n    return [x, 'text', 1.5]\n", "f.py", "exec")
    base = sqlite3.connect(":memory:")
    base.execute("create table t (a text)")
    base.executemany("insert into t values (?)", [(line,) for line in CZECH.split("\n")])
    base.commit()
    return {
        "png": png,
        "zip": packed.getvalue(),
        "gzip": gzip.compress(FRENCH.encode()),
        "elf": Path(sys.executable).read_bytes()[: 1 << 20],
        "pyc": b"\xa7\r\r\n" + bytes(12) + marshal.dumps(code),
        "sqlite": base.serialize(),
        "doubles": struct.pack("<400d", *(rng.gauss(0, 1) for _ in range(400))),
        "samples": struct.pack("<4000h", *(int(rng.gauss(0, 3000)) for _ in range(4000))),
        "counters": struct.pack("<1000I", *range(1000)),
        "short counters": struct.pack("<1000H", *range(1000)),
        "zeros": bytes(4096),
        "exe": b"MZ\x90\0" + b"C\0o\0p\0y\0" * 20 + rng.randbytes(4000),
    }


@pytest.mark.requirement("encodings-binary")
@pytest.mark.parametrize("kind", _binaries())
def test_binary_formats_are_binary(kind: str) -> None:
    file = open_text(_binaries()[kind])
    assert not file.is_foreign


@pytest.mark.requirement("encodings-binary")
def test_text_full_of_control_characters_is_not_text() -> None:
    assert not open_text(RUSSIAN.encode("cp1251").replace(b" ", b"\x01")).is_foreign
    assert not open_text(("one\x01 two\x02 three " * 20).encode("utf-16-le")).is_foreign


@pytest.mark.requirement("encodings-binary")
def test_random_bytes_are_never_text() -> None:
    rng = random.Random(11)
    taken = [
        (size, open_text(raw).encoding)
        for _ in range(400)
        for size in (16, 20, 32, 50, 64, 100, 256, 1000, 4096)
        if open_text(raw := rng.randbytes(size)).is_foreign
    ]
    assert not taken


def _alphabet(encoding: str) -> str:
    """Every 29th character that the encoding can write."""
    everything = map(chr, (*range(0x20, 0x7F), *range(0xA0, 0xD800, 29), *range(0x1F600, 0x1F640)))
    return "".join(c for c in everything if c.encode(encoding, "ignore").decode(encoding))


_ALPHABETS = {name: _alphabet(name) for name in sorted({sample.encoding for sample in SAMPLES})}


@st.composite
def _texts(draw: st.DrawFn) -> tuple[str, str, int, int, str]:
    """An encoding, a text in it, and an edit of it."""
    encoding = draw(st.sampled_from(sorted(_ALPHABETS)))
    letters = _ALPHABETS[encoding]
    text = draw(st.text(letters + 4 * " \n\r\\|az", max_size=60))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    return encoding, text, start, end, draw(st.text(letters, max_size=8))


@pytest.mark.requirement("encodings-bytes")
@settings(max_examples=400)
@given(_texts())
def test_an_edit_changes_only_its_own_bytes(case: tuple[str, str, int, int, str]) -> None:
    encoding, text, start, end, new = case
    raw = text.encode(encoding)
    edited = text[:start] + new + text[end:]
    wanted = text[:start].encode(encoding) + new.encode(encoding) + text[end:].encode(encoding)
    try:
        file = open_text(raw, encoding)
        found = file.with_text(edited)
    except (InvalidArgument, UnsupportedEncoding):
        # Refused only where a codec does not give back what it was given.
        lossy = raw.decode(encoding) != text or wanted.decode(encoding) != edited
        assert lossy or text[:1] == "\ufeff" or raw.decode(encoding).encode(encoding) != raw
        return
    if file.text == text:
        assert found == wanted


@pytest.mark.requirement("encodings-bytes")
@settings(max_examples=200)
@given(st.binary(max_size=200), st.integers(0, 200))
def test_ascii_edits_of_any_bytes_keep_the_rest(raw: bytes, at: int) -> None:
    file = open_text(raw)
    at = min(at, len(file.text))
    try:
        found = file.with_text(file.text[:at] + "<x>" + file.text[at:])
    except InvalidArgument:
        pytest.fail("an ASCII edit was refused")
    assert open_text(found, file.encoding if file.is_foreign else None).raw == found
    if not file.is_foreign:
        assert found.replace(b"<x>", b"", 1) == raw or raw.count(b"<x>")


@pytest.mark.requirement("encodings-lazy")
def test_the_detector_is_loaded_for_a_file_that_needs_it_and_not_before() -> None:
    program = (
        "import sys\n"
        "from redline.core.encodings.opening import open_text\n"
        "for raw in (b'plain', 'größer'.encode(), b'\\xff\\xfea\\0b\\0', b'\\x89PNG\\0\\0',\n"
        "            b'# coding: cp1251\\n\\xff', b'\\x01\\x02\\xff' * 20):\n"
        "    open_text(raw).text\n"
        "assert 'chardet' not in sys.modules\n"
        "open_text('Überprüfen Sie die Größe der Anhänge'.encode('cp1252'))\n"
        "assert 'chardet' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.requirement("encodings-lazy")
def test_the_detector_sees_a_bounded_sample_that_holds_the_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import chardet

    seen: list[int] = []
    detect = chardet.detect_all
    monkeypatch.setattr(
        chardet, "detect_all", lambda data, **more: seen.append(len(data)) or detect(data, **more)
    )
    raw = b"plain line\n" * 200_000 + RUSSIAN.encode("cp1251") * 200
    assert open_text(raw).encoding == "cp1251"
    assert seen
    assert max(seen) <= 2 << 16


@pytest.mark.requirement("encodings-latin")
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "# Grüße aus Köln\nname = 'Müller'\nprint('Straße')\n"),
        ("cp1252", "title: Größe und Maß\n"),
        ("cp1252", "Le café est fermé à Noël, déjà réservé.\n"),
        ("cp1252", "El niño comió en España, ¿verdad?\n"),
        ("cp1252", "Blåbærgrød på øen\n"),
        ("cp1252", "/* Copyright \u00a9 Acme */\nint x;\n"),
        ("cp1252", "\u2022 first item\n\u2022 second item\n"),
        ("cp1252", "price: 5 \u20ac each\n"),
        ("cp1252", "half \u00bd of \u00d7 these \u00b1 signs\n"),
        ("cp1252", "It\u2019s \u201cquoted\u201d \u2014 \u20ac5\n"),
        ("iso8859-15", "Preis: 5 € für Grüße\n"),
        ("iso8859-2", "Zażółć gęślą jaźń, proszę państwa.\n"),
        ("cp1250", "Zażółć gęślą jaźń, proszę państwa.\n"),
        ("iso8859-2", "Příliš žluťoučký kůň úpěl ďábelské ódy\n"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy\n"),
        ("iso8859-2", "Árvíztűrő tükörfúrógép\n"),
    ],
)
def test_a_few_words_of_latin_letters_are_read(encoding: str, text: str) -> None:
    file = open_text(text.encode(encoding))
    assert file.text == text
    assert file.with_text(text + "more\n") == (text + "more\n").encode(encoding)


@pytest.mark.requirement("encodings-latin")
@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "iso8859-7"])
def test_other_alphabets_are_not_taken_for_latin_letters(encoding: str) -> None:
    text = "Καλή μέρα\n" if encoding == "iso8859-7" else "Привет, мир\n"
    file = open_text(text.encode(encoding))
    assert not file.is_foreign or file.text == text
