"""Depth, size and swelling: a structured error or a normal answer, never a crash."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import pytest

from redline.core.errors import CannotApply, DocumentSyntax, NestsTooDeep, RedlineError, TooLarge
from redline.documents.base import model
from redline.documents.base.depth import nests_too_deep
from redline.documents.formats import FORMATS, open_document
from redline.documents.query import select
from tests.documents.writers import writer_of

SHALLOW = {
    "yaml dashes": ("yaml", b"- " * 190 + b"x\n", (0,) * 189),
    "yaml flow": ("yaml", b"a: " + b"[" * 190 + b"]" * 190 + b"\n", ("a",)),
    "yaml block": ("yaml", b"".join(b" " * i + b"a:\n" for i in range(190)), ("a",) * 100),
    "json": ("json", b"[" * 190 + b"]" * 190, (0,)),
    "toml": ("toml", b"a = " + b"[" * 190 + b"]" * 190, ("a",)),
}
# Every bracket that opens has one in a string beside it, and so has every one that closes.
HIDDEN = b'["]",' * 100_000 + b"1" + b',"["]' * 100_000
DEEP = {
    "yaml hidden": ("yaml", HIDDEN),
    "json hidden": ("json", HIDDEN),
    "jsonc hidden": ("jsonc", HIDDEN),
    "json5 hidden": ("json5", HIDDEN),
    "toml hidden": ("toml", b"a = " + HIDDEN),
    "toml between comments": ("toml", b'# "\na = ' + b"[" * 90_000 + b"]" * 90_000 + b'\n# "\n'),
    "yaml dashes": ("yaml", b"- " * 5000 + b"x\n"),
    "yaml flow": ("yaml", b"a: " + b"[" * 250 + b"]" * 250 + b"\n"),
    "yaml open": ("yaml", b"[" * 100_000),
    "yaml closed": ("yaml", b"[" * 200_000 + b"]" * 200_000),
    "yaml block": ("yaml", b"".join(b" " * i + b"a:\n" for i in range(1500))),
    "json": ("json", b"[" * 100_000 + b"]" * 100_000),
    "jsonc": ("jsonc", b'{"a":' * 100_000),
    "json5": ("json5", b"[" * 100_000 + b"]" * 100_000),
    "toml": ("toml", b"a = " + b"[" * 5000 + b"]" * 5000),
    "toml dots": ("toml", b".".join([b"a"] * 3000) + b" = 1"),
    "toml header": ("toml", b"[" + b".".join([b"a"] * 3000) + b"]\nx = 1\n"),
}


@pytest.mark.requirement("yaml-depth")
@pytest.mark.parametrize("name", SHALLOW)
def test_nesting_below_the_limit_is_edited(name: str) -> None:
    form, source, path = SHALLOW[name]
    assert open_document(source, form).set(path, "1").after != source


@pytest.mark.requirement("yaml-depth")
@pytest.mark.parametrize("name", DEEP)
def test_nesting_beyond_the_limit_is_a_structured_error(name: str) -> None:
    form, source = DEEP[name]
    with pytest.raises(DocumentSyntax):
        open_document(source, form)


@pytest.mark.parametrize("value", ["[" * 300 + "]" * 300, "- " * 3000 + "x"])
def test_a_value_may_not_nest_too_deeply_either(value: str) -> None:
    with pytest.raises(CannotApply):
        open_document(b"a: 1\n", "yaml").set(("a",), value)


@pytest.mark.requirement("yaml-depth")
def test_aliases_are_never_expanded() -> None:
    lines = [b"k0: &a0 [x, x]\n"]
    lines += [b"k%d: &a%d [*a%d, *a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 60)]
    document = open_document(b"".join(lines), "yaml")
    assert document.get(("k59",)).text == "[*a58, *a58]"
    assert len(str(document.data())) < 10_000


def test_brackets_in_text_do_not_count_as_nesting() -> None:
    text = b'{"a": "' + b"[" * 5000 + b'"}'
    assert not nests_too_deep(text)
    assert open_document(text, "json").set(("a",), "1").after == b'{"a": 1}'
    prose = b"a: |\n" + b"  see [1 and {2\n" * 400 + b"b: 1\n"
    assert open_document(prose, "yaml").set(("b",), "2").after == prose[:-2] + b"2\n"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("source", [b"\xff\xfe", b"\0", b"", b"\r", b"\xef\xbb\xbf", b"a\0b: 1"])
def test_odd_bytes_are_read_or_refused(form: str, source: bytes) -> None:
    try:
        document: Any = open_document(source, form)
        document.get(())
    except RedlineError:
        return
    assert document.source == source


def test_a_query_over_deep_data_is_refused_not_crashed() -> None:
    deep = b'{"x": "' + b"y" * 5_000_000 + b'", "d": ' + b"[" * 900 + b"]" * 900 + b"}"
    with pytest.raises(RedlineError):
        select(open_document(deep, "json"), "$..*", lambda *_: False, 10)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "source",
    [
        b'{"a": 1} ' + b"/*" * 300_000,
        b"[" * 300 + b'"' + b'\\"' * 300_000,
        b"[1, " + b"'\\'" * 200_000,
        b"a: |\n" + b"  &x *x !t!u -\tk: v\n" * 30_000 + b"b: 1\n",
    ],
    ids=["comments", "quotes", "apostrophes", "tags"],
)
def test_marks_repeated_without_end_take_linear_time(form: str, source: bytes) -> None:
    try:
        document: Any = open_document(source, form)
    except RedlineError:
        return
    assert document.source == source


# The parser's own limit ends brackets; what it nests by columns must not reach it.
NEVER_PARSED = {
    "block": b"".join(b" " * i + b"a:\n" for i in range(3000)),
    "lists": b"".join(b" " * i + b"-\n" for i in range(3000)),
    "dashes": b"- " * 100_000 + b"x\n",
    "questions": b"? " * 100_000 + b"x\n",
    "colons": b": " * 100_000 + b"x\n",
    "dashes behind a mark": b"\xef\xbb\xbf" + b"- " * 100_000 + b"x\r\n",
    "dashes behind a key": b"a:\n" + b"- " * 100_000 + b"x\n",
}


@pytest.mark.requirement("yaml-depth")
@pytest.mark.parametrize("name", NEVER_PARSED)
def test_deep_yaml_is_refused_before_the_native_parser_sees_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser is replaced by something that fails the test when it is called."""
    import yaml12

    def parser(*_: Any, **__: Any) -> None:
        pytest.fail("the parser was called")

    monkeypatch.setattr(yaml12, "parse_yaml", parser)
    with pytest.raises(NestsTooDeep):
        open_document(NEVER_PARSED[name], "yaml")


@pytest.mark.parametrize(
    "source",
    [
        b"a: " + b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"a: 1\n--- !t " + b"{a: " * 100_000,
        b"a:\n  - b:\n      " + b"[{a: " * 100_000,
        b"- &a " * 100_000 + b"x\n",
    ],
)
def test_what_nests_in_other_ways_does_not_end_the_process(source: bytes) -> None:
    """In a process of its own, as the parser recurses."""
    program = (
        "import sys\nfrom redline.core.errors import DocumentSyntax\n"
        "from redline.documents.formats import FORMATS, open_document\n"
        "try:\n    open_document(sys.stdin.buffer.read(), 'yaml')\n"
        "except DocumentSyntax:\n    print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=source, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, b"refused"), done.stderr[-300:]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("digits", ["1" * 5000, "0x" + "f" * 5000, "1e" + "9" * 500])
def test_numbers_without_end_are_read_or_refused(form: str, digits: str) -> None:
    wrap = writer_of(form).entry
    for source, value in ((wrap % digits, "1"), (wrap % "1", digits)):
        with suppress(RedlineError):
            open_document(source.encode(), form).data()
        with suppress(RedlineError):
            after = open_document(source.encode(), form).set(("a",), value).after
            assert after == (wrap % value).encode()


@pytest.mark.requirement("docs-limits")
def test_a_yaml_document_over_the_limit_is_refused_with_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model, "MAX_PARSED_BYTES", 1 << 20)
    with pytest.raises(TooLarge, match="larger than 1 MB"):
        open_document(b"- 1\n" * 300_000, "yaml")


@pytest.mark.parametrize(
    "line",
    [
        "k: " + ":*x" * 300_000,
        "k: " + "*" * 900_000,
        "k: [" + "*a:" * 300_000 + "]",
        'k: "' + "\\" * 900_000 + '"',
        "k: " + "&a *b " * 150_000,
        "k: " + "a:\t" * 300_000,
    ],
    ids=["colons", "stars", "names", "backslashes", "marks", "tabs"],
)
def test_what_is_rewritten_for_the_yaml_parser_takes_linear_time(line: str) -> None:
    started = time.process_time()
    with suppress(RedlineError):
        open_document(line.encode(), "yaml")
    assert time.process_time() - started < 5


@pytest.mark.requirement("docs-limits")
@pytest.mark.parametrize("form", ["json", "jsonc"])
def test_json_over_its_limit_is_refused_with_the_limit(form: str) -> None:
    with pytest.raises(TooLarge, match="larger than 256 MB"):
        open_document(bytes((256 << 20) + 1), form)
