"""Secrets: what is found, what a model sees, and what edits put back."""

from __future__ import annotations

import io
import json
import random
import re
import re._constants as kinds_of_items
import re._parser as parser
import site
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.adapters.secret_memory import SecretLedger
from redline.cli.main import main
from redline.core.paths import Access
from redline.core.ports.commands import RunQuery
from redline.core.ports.pages import ReviewComment
from redline.core.ports.review import PermissionQuestion
from redline.review.page.decisions.questions import question_view
from redline.review.page.diffs.standalone import write_page
from redline.review.page.file_views import blame_view
from redline.review.page.layout import Viewer
from redline.review.page.runs_and_checkpoints import comments_view, run_view
from redline.review.page.timeline import run_row
from redline.secrets.answers import CallSecrets
from redline.secrets.desk import MAX_WINDOW
from redline.secrets.find import find, key_formats
from redline.secrets.masks import MaskSession
from redline.server.calls.dispatch import Context
from redline.server.observe.audit import Audit
from redline.services.history.export import load_in_order
from redline.services.history.references import find_operation
from redline.toolsets.call import Answer
from redline.toolsets.tool import Client
from tests.secrets import edits, planted
from tests.secrets.false_masks import masked_lines
from tests.secrets.seat import MASK, Seat
from tests.support import LONG, REPO

KEY = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
TOKEN = "ghp_q8Zk2LxP0vRt7YwN4mBc6HdJ1sGfK9uE3aTo"
PACKAGES = Path(site.getsitepackages()[0])
OTHER_PROJECTS = [PACKAGES / name for name in ("mcp", "uvicorn", "httpx2", "hypothesis")]


@pytest.fixture
def seats(tmp_path: Path) -> Iterator[Callable[..., Seat]]:
    made: list[Seat] = []

    def make(policy: str = "", **given: Any) -> Seat:
        folder = tmp_path / f"seat{len(made)}"
        if policy:
            file = tmp_path / f"policy{len(made)}.toml"
            file.write_text(policy)
            given["policy"] = str(file)
        made.append(Seat(folder, **given))
        return made[-1]

    yield make
    for seat in made:
        seat.close()


def mask_of(answer: str) -> str:
    found = MASK.search(answer)
    assert found is not None, answer
    return found.group()


def _draw(items: Any, rng: random.Random) -> str:
    """Return a text that a parsed pattern matches."""
    text = ""
    for kind, value in items:
        if kind is kinds_of_items.LITERAL:
            text += chr(value)
        elif kind is kinds_of_items.IN:
            text += rng.choice([c for c in map(chr, range(32, 123)) if _is_in(c, value)])
        elif kind is kinds_of_items.ANY:
            text += "a"
        elif kind in (kinds_of_items.MAX_REPEAT, kinds_of_items.MIN_REPEAT):
            least, most, inner = value
            times = max(int(least), min(int(most), 20))
            text += "".join(_draw(inner, rng) for _ in range(times))
        elif kind is kinds_of_items.SUBPATTERN:
            text += _draw(value[3], rng)
        elif kind is kinds_of_items.BRANCH:
            text += _draw(value[1][0], rng)
    return text


def _is_in(char: str, items: Any) -> bool:
    is_negated = items[0][0] is kinds_of_items.NEGATE
    body = "".join(_class_text(item) for item in items[is_negated:])
    return bool(re.match(f"[{'^' if is_negated else ''}{body}]", char))


def _class_text(item: Any) -> str:
    kind, value = item
    if kind is kinds_of_items.LITERAL:
        return re.escape(chr(value))
    if kind is kinds_of_items.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return {
        "CATEGORY_SPACE": " ",
        "CATEGORY_WORD": r"\w",
        "CATEGORY_DIGIT": r"\d",
        "CATEGORY_NOT_SPACE": r"\S",
    }.get(str(value), r"\w")


@pytest.mark.requirement("secrets-formats")
def test_every_format_is_found_in_a_text() -> None:
    rng, missed = random.Random(3), []
    for each in key_formats().rules:
        plain = re.sub(r"\(\?-?[is]+\)", "", each.pattern)
        plain = re.sub(r"\(\?-?[is]+:", "(?:", plain).replace("[[:alnum:]]", "[A-Za-z0-9]")
        value = _draw(parser.parse(plain.replace(r"\z", r"\Z")), rng)
        text = f"first line\nvalue = '{value}'\nlast line\n"
        found = [text[one.start : one.end] for one in find(text)]
        if not any(part and part in value for part in found):
            missed.append((each.kind, value))
    assert not missed


@pytest.mark.requirement("secrets-unseen")
def test_planted_secrets_are_unseen_in_every_way(tmp_path: Path) -> None:
    files = planted.files_of([REPO / "src" / "redline" / "server", REPO / "docs" / "examples"])
    figures = planted.measure(5000 if LONG else 20, files, tmp_path)
    assert figures.met.total() > 20 * 25
    assert figures.unseen_share >= 0.995, figures.ways


def test_the_measure_sees_secrets_that_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[secret]]\naction = "allow"\n')
    monkeypatch.setattr(planted, "Seat", lambda folder: Seat(folder, policy=str(policy)))
    files = planted.files_of([REPO / "src" / "redline" / "server"])
    figures = planted.measure(20, files, tmp_path)
    assert figures.unseen_share < 0.7
    assert {way.partition(":")[0] for way in figures.ways} >= {
        "run cat", "run base64", "run xxd", "run git", "read", "files", "coding", "search",
    }  # fmt: skip


@pytest.mark.requirement("secrets-few-false")
def test_hardly_any_line_of_other_projects_is_masked() -> None:
    lines, masked = 0, []
    for project in OTHER_PROJECTS:
        count, found = masked_lines(project)
        lines, masked = lines + count, masked + found
    assert lines > 30_000
    assert len(masked) * 10_000 <= lines, masked


@pytest.mark.requirement("secrets-restored")
def test_edits_near_and_across_masks_keep_every_value(tmp_path: Path) -> None:
    tally = edits.measure(20_000 if LONG else 100, tmp_path)
    assert not tally.wrong
    assert len(tally.made) == len(edits._TOOLS) - 1


@pytest.mark.requirement("secrets-restored")
def test_a_dollar_of_a_value_never_stands_for_a_node_of_code(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", "DB_PASSWORD=Zk9x$A1qAQ7!xw2\n")
    seat.write("r.py", "name = 'shop'\n")
    mask = mask_of(seat.call("read", path="a.env"))
    for words in (
        {"pattern": "name = $A", "rewrite": f'name = "{mask}"'},
        {"pattern": f'name = "{mask}"', "rewrite": "name = 1"},
    ):
        assert "would stand for a node" in seat.call("rewrite", path="r.py", **words)
    assert seat.read("r.py") == "name = 'shop'\n"


def test_the_backslash_of_a_closing_quote_is_no_part_of_a_value() -> None:
    token = f"eyJ{'hbGciOiJIUzI1NiJ9' * 2}.eyJ{'zdWIiOiIxMjM0In0' * 2}.{'q8Zk2LxP0v' * 4}"
    text = json.dumps(json.dumps({"value": token}))
    assert token in [text[one.start : one.end] for one in find(text)]
    assert not any(text[one.end - 1] == "\\" for one in find(text))


@pytest.mark.requirement("secrets-decided")
def test_what_a_person_showed_once_is_masked_the_next_time(seats: Any) -> None:
    seat = seats(policy='[[secret]]\naction = "ask"\n')
    text = "".join(f"line {number} of a file\n" for number in range(1000))
    seat.write("a.txt", text)
    answer = {"content": [{"type": "text", "text": f"head\n{text}\nSTRIPE_KEY={KEY}\n"}]}
    shown = []
    for allows in (True, False):
        call = CallSecrets(seat.redline.secrets, "one")
        call.note_read(
            seat.redline.workspace.resolve("a.txt", Access.READ), text.encode() + b"+" * 99
        )
        shown.append(json.dumps(call.finish(answer, lambda _, allows=allows: allows)))
    assert [KEY in each for each in shown] == [True, False]


@pytest.mark.requirement("secrets-restored")
def test_undo_brings_the_true_text_back(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", f"STRIPE_KEY={KEY}\nPORT=80\n")
    mask = mask_of(seat.call("read", path="a.env"))
    seat.call("edit", path="a.env", edits=[{"old": f"{mask}\nPORT", "new": "gone\nPORT"}])
    assert seat.read("a.env") == "STRIPE_KEY=gone\nPORT=80\n"
    assert KEY not in seat.call("changes")
    seat.call("undo")
    assert seat.read("a.env") == f"STRIPE_KEY={KEY}\nPORT=80\n"


@pytest.mark.requirement("secrets-restored")
def test_text_that_looks_like_a_mask_is_kept_as_it_is(seats: Any) -> None:
    seat, text = seats(), "see «secret:STRIPE_KEY:7f3a1b2c» in the page\n"
    seat.write("a.md", text)
    shown = seat.call("read", path="a.md")
    assert "«secret:LITERAL:" in shown
    seat.call("write", path="b.md", content=f"{mask_of(shown)} again\n")
    assert seat.read("b.md") == "«secret:STRIPE_KEY:7f3a1b2c» again\n"


@pytest.mark.requirement("secrets-restored")
def test_a_mask_is_found_in_a_search_and_as_a_part_of_a_regex(seats: Any) -> None:
    seat, value = seats(), "aB3.dE5+fG7(hJ9kL"
    seat.write("a.env", f"DB_PASSWORD={value}\n")
    mask = mask_of(seat.call("read", path="a.env"))
    for arguments in ({"query": mask}, {"query": f"^DB.*{mask}$", "regex": True}):
        answer = seat.call("search", hidden=True, **arguments)
        assert "a.env:1" in answer
        assert value not in answer


@pytest.mark.requirement("secrets-refused")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda mask: mask[:-1],
        lambda mask: mask[1:],
        lambda mask: mask.replace("«", "<<").replace("»", ">>"),
        lambda mask: mask[:-9] + ("0" if mask[-9] != "0" else "1") + mask[-8:],
        lambda mask: mask.replace("STRIPE_KEY", "OTHER"),
        lambda mask: "«secret:STRIPE_KEY:denied»",
    ],
)
def test_a_spoiled_mask_is_refused_and_nothing_is_written(
    seats: Any, spoil: Callable[[str], str]
) -> None:
    seat = seats()
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    bad = spoil(mask_of(seat.call("read", path="a.env")))
    answer = seat.call("write", path="b.txt", content=f"x {bad} y")
    assert "cannot be put back" in answer
    assert not (seat.folder / "b.txt").exists()


@pytest.mark.requirement("secrets-refused")
def test_a_mask_of_another_session_is_refused(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    mask = mask_of(seat.call("read", path="a.env"))
    seat._client = Client(name="test", session="two")
    assert "cannot be put back" in seat.call("write", path="b.txt", content=mask)
    assert mask_of(seat.call("read", path="a.env")) != mask


@pytest.mark.requirement("secrets-refused")
def test_a_command_that_carries_a_mask_is_refused(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    mask = mask_of(seat.call("read", path="a.env"))
    answer = seat.call("run", command=f"curl -H 'Authorization: {mask}' localhost")
    assert "$NAME" in answer
    assert KEY not in answer


@pytest.mark.requirement("secrets-refused")
def test_a_mask_that_an_edit_puts_together_never_reaches_the_disk(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    inner = mask_of(seat.call("read", path="a.env"))[3:-1]
    seat.call("write", path="b.txt", content=f"X{inner}Y")
    edit = {"old": "X(.*)Y", "new": "«se$1»", "regex": True}
    assert "put together" in seat.call("edit", path="b.txt", edits=[edit])
    assert seat.read("b.txt") == f"X{inner}Y"


@pytest.mark.requirement("secrets-decided")
def test_rules_decide_by_path_field_kind_and_pattern(seats: Any) -> None:
    seat = seats(
        """
        [[secret]]
        name = "fixtures"
        action = "allow"
        paths = ["fixtures/**"]

        [[secret]]
        name = "never"
        action = "deny"
        kinds = ["github-*"]

        [[secret]]
        fields = ["pin_code"]

        [[secret]]
        name = "badge"
        patterns = ["BADGE-[0-9]{6}"]
        """
    )
    seat.write("fixtures/a.env", f"STRIPE_KEY={KEY}\n")
    seat.write("b.txt", f"{TOKEN} BADGE-123456 pin_code: 4711x\n")
    assert KEY in seat.call("read", path="fixtures/a.env")
    shown = seat.call("read", path="b.txt")
    assert "BADGE-1" not in shown
    assert "4711" not in shown
    assert ":denied»" in shown
    assert "cannot be put back" in seat.call("write", path="c.txt", content=shown)


@pytest.mark.requirement("secrets-decided")
def test_a_person_who_is_asked_may_show_a_value(seats: Any) -> None:
    seat = seats('[[secret]]\naction = "ask"\n')
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    asked: list[str] = []

    def answer(question: Any) -> Answer:
        asked.append(question.message)
        return Answer("accept" if len(asked) == 1 else "decline")

    seat.call("find")
    client = Client(name="test", capabilities={"elicitation": {}})
    seen = []
    for _ in range(2):
        params = {"name": "read", "arguments": {"path": "a.env"}}
        context = Context(client, request_id="1", asker=answer)
        seen.append(str(seat._dispatches["agent"].call(params, context)))
    assert "STRIPE_KEY" in asked[0]
    assert KEY not in asked[0]
    assert [KEY in each for each in seen] == [True, False]


@pytest.mark.requirement("secrets-remembered", "secrets-decided")
def test_commands_take_back_false_alarms_and_add_values(
    seats: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = seats()
    where = ["--workspace", str(seat.folder), "--state-dir", f"{seat.folder.parent}/state"]
    seat.write("a.env", f"STRIPE_KEY={KEY}\nWORD=Passepartout\n")
    mask = mask_of(seat.call("read", path="a.env"))
    assert main(["policy", "explain", f"{seat.folder}/a.env", "--secret", "1", *where]) == 1
    explained = capsys.readouterr().out
    assert "stripe-access-token" in explained
    assert explained.count("found by") == 1
    assert main(["secrets", "allow", mask.split(":")[2].strip("»"), *where]) == 0
    assert KEY in seat.call("read", path="a.env")
    monkeypatch.setattr("sys.stdin", io.StringIO("Passepartout\n"))
    assert main(["secrets", "add", *where]) == 0
    assert "Passepartout" not in seat.call("run", command="cat a.env")
    capsys.readouterr()
    assert main(["secrets", "list", *where]) == 0
    assert f"{mask}  allowed" in capsys.readouterr().out
    assert main(["secrets", "forget", mask, *where]) == 0
    assert KEY not in seat.call("read", path="a.env")
    kept = b"".join(p.read_bytes() for p in (seat.folder.parent / "state").glob("secrets*"))
    assert KEY.encode() not in kept
    assert b"Passepartout" not in kept
    assert main(["secrets", "allow", "00000000", *where]) == 2


@pytest.mark.requirement("secrets-logs")
def test_failures_and_audit_lines_hold_no_value(seats: Any) -> None:
    seat, lines = seats(), []
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    mask = mask_of(seat.call("read", path="a.env"))
    server = seat._dispatches["agent"].server
    server.audit = Audit(lines.append, is_kept=True)
    edit = {"old": f"{mask} and more", "new": "x"}
    assert KEY not in seat.call("edit", path="a.env", edits=[edit])
    assert KEY not in seat.call("read", path=f"/etc/{mask}")
    assert lines
    assert KEY not in json.dumps(lines)


@pytest.mark.requirement("secrets-logs")
def test_tracebacks_and_traces_hold_no_value(seats: Any, capfd: pytest.CaptureFixture[str]) -> None:
    seat, traced = seats(), []
    seat.write("a.env", f"DB_PASS=tr0ub4dor-zq\nSTRIPE_KEY={KEY}\n")
    seat.call("read", path="a.env")
    dispatch = seat._dispatches["agent"]
    context = Context(seat._client, request_id="1")
    context.secrets = dispatch.open_secrets(seat._client)
    dispatch.answer_bug(ValueError(f"bad line DB_PASS=tr0ub4dor-zq {KEY}"), "read", "1", context)
    shown = capfd.readouterr().err
    assert "ValueError: bad line DB_PASS=«secret:" in shown
    assert KEY not in shown
    dispatch.server.trace = traced.append
    seat.call("search", query=f"DB_PASS=tr0ub4dor-zq {KEY}")
    assert traced
    assert "tr0ub4dor" not in json.dumps(traced)


@pytest.mark.requirement("secrets-unseen")
@pytest.mark.parametrize("form", ["{}", "{} # a note", "'{}' # a note", "{}\r"])
def test_a_hash_in_a_value_begins_no_comment(form: str) -> None:
    value = "ab#Cd9!xZ#q82LmpQ7aZ"
    text = f"DB_PASSWORD={form.format(value)}\nPORT=80\n"
    assert {text[each.start : each.end] for each in find(text, ".env")} == {value}


@pytest.mark.requirement("secrets-unseen")
def test_keys_behind_each_other_are_found_with_and_without_their_ends() -> None:
    rng, begin, end = (
        random.Random(1),
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "-----END RSA PRIVATE KEY-----\n",
    )
    bodies = [f"{rng.randbytes(48).hex()[:64]}\n" for _ in range(4)]
    text = f"{begin}{bodies[0]}{begin}{bodies[1]}{end}{bodies[2]}{end}{begin}{bodies[3]}"
    found = {text[each.start : each.end] for each in find(text)}
    assert found >= {body.strip() for body in bodies}


@pytest.mark.requirement("secrets-linear")
@pytest.mark.parametrize(
    "hostile",
    [
        "a=b" + " " * 50_000,
        "-----END PRIVATE KEY-----\n",
        "ey",
        "ghp_",
        "://a:",
        "token=",
        "-----BEGIN PRIVATE KEY-----\n",
        "eyJa.",
        "A1b",
    ],
)
def test_hostile_text_takes_time_in_proportion(hostile: str) -> None:
    took = []
    for size in (100_000, 400_000):
        text = hostile * (size // len(hostile))
        began = time.process_time()
        find(text)
        took.append(time.process_time() - began)
    assert took[1] < max(0.5, took[0] * 8), took


@pytest.mark.requirement("secrets-terminal")
def test_commands_print_masks_unless_a_person_asks_for_values(
    seats: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = seats()
    seat.write("a.yaml", f"stripe_key: {KEY}\n")
    words = ["get", f"{seat.folder}/a.yaml", "stripe_key", "--workspace", str(seat.folder)]
    words += ["--state-dir", f"{seat.folder.parent}/state"]
    main(words)
    assert KEY not in capsys.readouterr().out
    monkeypatch.setenv("REDLINE_SHOW_SECRETS", "1")
    main(words)
    assert KEY in capsys.readouterr().out


@pytest.mark.requirement("secrets-terminal")
def test_a_document_of_standard_input_comes_back_with_its_values(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = SimpleNamespace(buffer=io.BytesIO(f"stripe_key: {KEY}\na: 1\n".encode()))
    monkeypatch.setattr("sys.stdin", given)
    monkeypatch.chdir(tmp_path)
    main(["set", "-", "a", "2"])
    assert f"stripe_key: {KEY}".encode() in capfdbinary.readouterr().out


@pytest.mark.requirement("secrets-linear")
@given(
    st.lists(st.sampled_from(["ecret", "_pass", "assword", "ATAT", "AKIA", "://", "é", "x" * 50]))
)
def test_a_long_text_is_looked_through_as_completely_as_a_short_one(parts: list[str]) -> None:
    text = f"{'-' * 5000}{''.join(parts)}{'-' * 5000}{''.join(parts)}"
    formats = key_formats()
    whole = formats._automaton.find_matches_as_indexes(text, True)
    every = sorted((start, end, number) for number, start, end in whole)
    assert formats._candidates(text, None) == every


@pytest.mark.requirement("secrets-linear")
def test_a_key_is_known_wherever_it_lies_in_a_large_file(seats: Any) -> None:
    rng, seat, line = random.Random(5), seats(), "nothing of interest\n"
    body = [rng.randbytes(48).hex()[:64] + "\n" for _ in range(40)]
    before = (MAX_WINDOW - 20 * 65) // len(line)
    begin, end = (f"-----{edge} PRIVATE KEY-----\n" for edge in ("BEGIN", "END"))
    seat.write("a.txt", line * before + begin + "".join(body) + end + line * 10_000)
    for number in range(40):
        first = before + 2 + number
        answer = seat.call("read", path="a.txt", lines=f"{first}-{first}")
        assert "«secret:" in answer
        assert body[number].strip() not in answer


def test_a_damaged_memory_keeps_what_can_be_read(tmp_path: Path) -> None:
    ledger = SecretLedger(str(tmp_path))
    assert len(ledger.salt) == 32
    ledger.write("added", "1" * 64)
    ledger.write("added", "2" * 64)
    for name, kept in (("secrets.jsonl", -20), ("secrets-salt", 16)):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:kept])
    damaged = SecretLedger(str(tmp_path))
    assert damaged.list_hashes().added == {"1" * 64}
    assert len(damaged.salt) == 32


def test_masks_are_stable_and_never_the_same_for_two_values() -> None:
    session, masks = MaskSession(b"key"), set()
    for number in range(20_000):
        mask, is_new = session.issue(f"value {number}", "NAME")
        assert is_new
        masks.add(mask)
        assert session.issue(f"value {number}", "OTHER") == (mask, False)
    assert len(masks) == 20_000


@pytest.mark.requirement("secrets-terminal")
def test_the_diffs_of_the_page_are_masked_line_for_line(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", f"A=1\nSTRIPE_KEY={KEY}\n")
    answer = seat.call("edit", path="a.env", edits=[{"old": "A=1", "new": "A=2"}])
    change = re.search(r"change (\w+)", answer)
    assert change is not None
    found = find_operation(seat.redline.history, change[1])
    page = write_page(seat.redline, load_in_order(seat.redline, [found])[0])
    assert KEY not in page
    assert "«secret:STRIPE_KEY:" in page


@pytest.mark.requirement("secrets-terminal")
def test_the_page_masks_commands_comments_questions_and_blame(seats: Any) -> None:
    seat = seats()
    seat.write("a.env", f"STRIPE_KEY={KEY}\n")
    seat.call("write", path="b.env", content=f"STRIPE_KEY={KEY}\n")
    seat.call("run", command=f"echo {KEY}")
    runtime = seat.redline
    viewer = Viewer(str(seat.folder), mask=runtime.mask_for_person)
    comment = ReviewComment(
        "c", 0.0, "o", "s", "b.env", "new", 1, f"STRIPE_KEY={KEY}", f"rotate {KEY}"
    )
    question = PermissionQuestion("q", 0.0, 0.0, "run", "", "", "", f"run?\necho {KEY}")
    command = runtime.runs.list(RunQuery(limit=1))[0]
    assert KEY in command.line
    for shown in (
        run_view(runtime, command),
        run_row(runtime, command),
        comments_view(viewer, [comment]),
        question_view(viewer, question),
        blame_view(runtime, "b.env"),
    ):
        assert KEY not in shown
        assert "«secret:" in shown
