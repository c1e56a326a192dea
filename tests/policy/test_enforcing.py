"""The policy where changes are made: whichever way a change is made, the first rule decides."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from redline.core.changes import Change, ChangeSet, LinkState, Rename
from redline.core.errors import (
    ChangeHeld,
    HeldRefused,
    PolicyUnreadable,
    RuleDenied,
)
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Origin
from redline.plan.file_ops import plan_delete, plan_write
from redline.review.held import approve_held, list_held, refuse_held
from redline.settings import Settings
from redline.wiring.workspace import Redline

ORIGIN = Origin("write_file", "claude-code 2.1", "ada", "a change", "s1")


class Bench:
    """A workspace with a policy."""

    def __init__(self, root: Path, redline: Redline, policy: Path) -> None:
        self.root = root
        self.redline = redline
        self.policy = policy

    def write(self, name: str, text: str, origin: Origin = ORIGIN) -> None:
        place = self.place(name)
        plan = plan_write(self.redline.tree, place, name, text.encode())
        self.redline.editor.commit(plan, origin)

    def delete(self, name: str) -> None:
        plan = plan_delete(self.redline.tree, self.place(name), name)
        self.redline.editor.commit(plan, ORIGIN)

    def move(self, source: str, target: str) -> None:
        step = Rename(self.place(source), self.place(target))
        self.redline.editor.commit(ChangeSet((step,)), ORIGIN)

    def place(self, name: str) -> WorkspacePath:
        return self.redline.workspace.resolve(name, Access.WRITE)

    def read(self, name: str) -> str:
        return (self.root / name).read_text()


Open = Callable[..., Bench]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Open]:
    opened: list[Redline] = []

    def make(policy: str, **files: str) -> Bench:
        root = tmp_path / "ws"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        file = tmp_path / "policy.toml"
        file.write_text(policy)
        redline = Redline(
            Settings(workspace=str(root), state_dir=str(tmp_path / "state"), policy=str(file))
        )
        opened.append(redline)
        return Bench(root, redline, file)

    yield make
    for redline in opened:
        redline.close()


@contextmanager
def denied(match: str | None = None) -> Iterator[None]:
    with pytest.raises(RuleDenied, match=match):
        yield


@pytest.mark.requirement("policy-paths")
def test_a_denied_path_is_not_changed_by_writing_deleting_or_moving(bench: Open) -> None:
    use = bench(
        "[[rule]]\nname='keep'\npaths=['gen/**']\naction='deny'\nreason='made by make'",
        gen__a="1",
        b="2",
    )
    with denied("keep.*made by make.*gen/a"):
        use.write("gen/a", "x")
    with denied():
        use.write("gen/new/deep", "x")
    with denied():
        use.delete("gen/a")
    with denied():
        use.move("gen/a", "c")
    with denied():
        use.move("b", "gen/b")
    with denied():
        use.move("gen", "other")
    use.write("b", "3")
    assert use.read("gen/a") == "1"
    assert not (use.root / "gen/b").exists()


@pytest.mark.requirement("policy-paths")
def test_a_moved_directory_is_judged_by_what_it_holds(bench: Open) -> None:
    use = bench(
        "[[rule]]\npaths=['*.pem', 'dst/x/**']\naction='deny'", d__in__k_DOT_pem="1", e__x__f="1"
    )
    with denied(r"d/in/k\.pem"):
        use.move("d", "d2")
    with denied("dst/x/f|dst/x"):
        use.move("e", "dst")
    made = use.place("e/new.pem"), use.place("e"), use.place("f")
    plan = plan_write(use.redline.tree, made[0], "e/new.pem", b"1")
    with denied(r"new\.pem"):
        use.redline.editor.commit(plan + ChangeSet((Rename(made[1], made[2]),)), ORIGIN)


@pytest.mark.requirement("policy-links")
def test_a_link_does_not_lead_past_a_rule(bench: Open) -> None:
    use = bench("[[rule]]\npaths=['secret/**']\naction='deny'", secret__a="1")
    os.symlink("secret", use.root / "door")
    os.symlink("secret/a", use.root / "file")
    for name in ("door/a", "file", "door/new"):
        with denied("secret/"):
            use.write(name, "x")
    assert use.read("secret/a") == "1"


@pytest.mark.requirement("policy-order")
def test_the_first_rule_that_matches_decides(bench: Open) -> None:
    use = bench(
        "default='deny'\n[[rule]]\npaths=['a/ok/**']\naction='allow'\n"
        "[[rule]]\npaths=['a/**']\naction='deny'\n[[rule]]\npaths=['b']\naction='allow'"
    )
    use.write("b", "1")
    (use.root / "a/ok").mkdir(parents=True)
    use.write("a/ok/x", "1")
    with denied():
        use.write("a/x", "1")
    with denied("default of the policy"):
        use.write("c", "1")


@pytest.mark.requirement("policy-who")
def test_rules_tell_tools_clients_and_principals_apart(bench: Open) -> None:
    use = bench(
        "[[rule]]\nclients=['claude-code']\ntools=['write_*']\nprincipals=['a?a']\naction='deny'"
    )
    with denied():
        use.write("a", "1")
    for other in (
        Origin("edit_file", "claude-code 2.1", "ada"),
        Origin("write_file", "codex 1", "ada"),
        Origin("write_file", "claude-code 2.1", "bob"),
    ):
        use.write("a", other.tool + other.client + other.principal, other)


@pytest.mark.requirement("policy-size")
def test_rules_know_the_size_of_a_change(bench: Open) -> None:
    use = bench(
        "[[rule]]\nmore_than={lines=3}\naction='deny'\n"
        "[[rule]]\nmore_than={bytes=20}\naction='deny'\n"
        "[[rule]]\nmore_than={files=2}\naction='deny'",
        a="1\n2\n3\n4\n5\n",
    )
    use.write("a", "1\n2\n3\nX\n5\n")
    with denied():
        use.write("a", "1\nx\ny\nX\n5\n")
    with denied():
        use.write("b", "x" * 21)
    three = ChangeSet()
    for name in ("x", "y", "z"):
        three += plan_write(use.redline.tree, use.place(name), name, b"")
    with denied():
        use.redline.editor.commit(three, ORIGIN)


DEPLOY = """
[[rule]]
paths = ["*.yaml", "*.json", "*.toml"]
fields = ["spec.replicas"]
action = "allow"

[[rule]]
paths = ["*.yaml", "*.json", "*.toml"]
fields = ["spec.limits"]
action = "ask"

[[rule]]
paths = ["*.yaml", "*.json", "*.toml"]
fields = ["**.image"]
action = "deny"
"""
YAML = "# c\nspec:\n  replicas: 1\n  limits: {cpu: 1}\n  image: a\n"


@pytest.mark.requirement("policy-fields")
def test_values_inside_a_document_have_rules_of_their_own(bench: Open) -> None:
    use = bench(DEPLOY, d_DOT_yaml=YAML)
    use.write("d.yaml", YAML.replace("replicas: 1", "replicas: 2"))
    use.write("d.yaml", YAML.replace("# c", "# other"))
    with denied("image"):
        use.write("d.yaml", YAML.replace("image: a", "image: b"))
    with pytest.raises(ChangeHeld, match="limits"):
        use.write("d.yaml", YAML.replace("cpu: 1", "cpu: 2"))
    with denied():
        use.write("d.yaml", YAML.replace("  image: a\n", ""))
    with denied():
        use.delete("d.yaml")
    with denied():
        use.move("d.yaml", "e.txt")
    with denied("any field"):
        use.write("d.yaml", "spec: [")
    assert use.read("d.yaml") == YAML.replace("# c", "# other")


@pytest.mark.requirement("policy-fields")
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("d.yaml", "x: &i a\nimage: *i\n", "x: &i b\nimage: *i\n"),
        ("d.yaml", "b: &b {image: a}\nc: {<<: *b}\n", "b: &b {image: z}\nc: {<<: *b}\n"),
        ("d.yaml", "image: a\n", "image: !other a\n"),
        ("d.yaml", "a: 1\n---\nimage: a\n", "a: 1\n---\nimage: b\n"),
        ("d.yaml", "image: '1'\n", "image: 1\n"),
        ("d.yaml", "image: 1\n", "image: true\n"),
        ("d.yaml", "image: [{a: 1}]\n", "image: [{a: 1.0}]\n"),
        ("d.yaml", "image: 0.0\n", "image: -0.0\n"),
        ("d.yaml", "image: [!x {a: 1}]\n", "image: [!x {a: 1.0}]\n"),
        ("d.json", '{"image": "a"}', '{"image": "b", "image": "a"}'),
        ("d.json", '{"image": {"a": 1}}', '{"image": {}}'),
        ("d.json", '[{"image": 1}]', '[0, {"image": 1}]'),
        ("d.toml", 'image = "a"\n', 'image = "b"\n'),
        ("d.toml", "image = 2026-01-01T01:00:00+01:00\n", "image = 2026-01-01T00:00:00Z\n"),
    ],
)
def test_no_way_of_writing_hides_a_changed_value(
    bench: Open, name: str, old: str, new: str
) -> None:
    use = bench(DEPLOY, **{name.replace(".", "_DOT_"): old})
    with denied():
        use.write(name, new)


@pytest.mark.requirement("policy-fields")
def test_a_denial_names_the_value_as_get_and_set_do(bench: Open) -> None:
    use = bench(DEPLOY, d_DOT_yaml="list:\n  - a.b: {image: x}\n")
    with denied(re.escape('d.yaml list[0]["a.b"].image')):
        use.write("d.yaml", "list:\n  - a.b: {image: y}\n")


@pytest.mark.requirement("policy-fields")
def test_rules_about_values_without_paths_leave_what_is_no_document_alone(
    bench: Open, tmp_path: Path
) -> None:
    (tmp_path / "s.json").write_text('{"required": ["kind"]}')
    rules = "[[rule]]\nfields=['**.image']\naction='deny'\n[[rule]]\nschema='s.json'\naction='ask'"
    use = bench(rules, n_DOT_md="a: b: c\n", d_DOT_yaml="kind: x\nimage: a\n")
    use.write("n.md", "a: b: d\n")
    use.write("run.sh", "image: [\n")
    with denied("image"):
        use.write("d.yaml", "kind: x\nimage: b\n")
    with pytest.raises(ChangeHeld):
        use.write("e.json", "{}")
    use.write("e.txt", "image: b\n")
    with denied("image"):
        use.move("e.txt", "e.yaml")


@pytest.mark.requirement("policy-schema")
def test_a_glob_must_validate_against_a_schema(bench: Open, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"properties": {"a": {"$ref": "int.json"}}}))
    (tmp_path / "int.json").write_text('{"type": "integer"}')
    use = bench("[[rule]]\npaths=['*.yaml']\nschema='s.json'\naction='deny'", a_DOT_yaml="a: 1\n")
    use.write("a.yaml", "a: 2\n")
    for text in ("a: x\n", "a: ["):
        with denied():
            use.write("a.yaml", text)
    use.write("t.txt", "a: x\n")
    with denied():
        use.move("t.txt", "b.yaml")
    use.delete("a.yaml")
    (tmp_path / "s.json").write_text("[")
    with pytest.raises(PolicyUnreadable, match="schema"):
        use.write("a.yaml", "a: 2\n")


@pytest.mark.requirement("policy-undo")
def test_undo_and_redo_obey(bench: Open) -> None:
    use = bench("", a="1")
    use.write("a", "2")
    use.policy.write_text("[[rule]]\npaths=['a']\naction='deny'")
    with denied():
        use.redline.editor.undo(None, ORIGIN)
    use.policy.write_text("")
    use.redline.editor.undo(None, ORIGIN)
    use.policy.write_text("[[rule]]\npaths=['a']\naction='ask'")
    with pytest.raises(ChangeHeld) as held:
        use.redline.editor.redo(None, ORIGIN)
    assert use.read("a") == "1"
    operation = approve_held(use.redline, held.value.held_id, "Ada")
    assert (operation.kind, use.read("a")) == ("redo", "2")


@pytest.mark.requirement("policy-unreadable")
def test_a_policy_that_cannot_be_read_forbids_every_change(bench: Open) -> None:
    use = bench("", a="1")
    use.write("a", "2")
    for text in ("[[rule", "[[rule]]\naction='perhaps'"):
        use.policy.write_text(text)
        with pytest.raises(PolicyUnreadable, match=r"policy\.toml"):
            use.write("a", "3")
    use.policy.unlink()
    with pytest.raises(PolicyUnreadable, match="not there"):
        use.write("a", "3")
    use.policy.write_text("default='allow'")
    use.write("a", "3")


@pytest.mark.requirement("policy-unreadable")
def test_a_policy_or_schema_inside_the_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/s.json").write_text("{}")
    inner = tmp_path / "ws/policy.toml"
    inner.write_text("")
    outer = tmp_path / "policy.toml"
    outer.write_text("[[rule]]\nschema='ws/s.json'\naction='deny'")
    for file in (inner, outer):
        settings = Settings(
            workspace=str(tmp_path / "ws"), state_dir=str(tmp_path / "state"), policy=str(file)
        )
        with Redline(settings) as redline:
            place = redline.workspace.resolve("a", Access.WRITE)
            plan = plan_write(redline.tree, place, "a", b"1")
            with pytest.raises(PolicyUnreadable, match="it lies in the workspace, its path leads"):
                redline.editor.commit(plan, ORIGIN)


@pytest.mark.requirement("policy-hold")
def test_ask_holds_the_change_once_and_gives_the_refusal_with_its_reason(bench: Open) -> None:
    use = bench("expires='2h'\n[[rule]]\nname='look'\npaths=['a']\naction='ask'", a="1")
    ids = set()
    for _ in range(3):
        with pytest.raises(ChangeHeld, match=r"look.*held as") as held:
            use.write("a", "2")
        ids.add(held.value.held_id)
    assert len(ids) == 1
    (waiting,) = list_held(use.redline)
    assert waiting.expires - waiting.time == pytest.approx(7200)
    refuse_held(use.redline, waiting.id, "Ada", "not today")
    with pytest.raises(HeldRefused, match=r"Ada refused.*not today"):
        use.write("a", "2")
    assert use.read("a") == "1"
    with pytest.raises(ChangeHeld):
        use.write("a", "3")


@pytest.mark.requirement("policy-hold")
def test_an_approval_does_not_lift_a_rule_that_denies(bench: Open) -> None:
    use = bench("[[rule]]\npaths=['a']\naction='ask'", a="1")
    with pytest.raises(ChangeHeld) as held:
        use.write("a", "2")
    use.policy.write_text("[[rule]]\npaths=['a']\naction='deny'")
    with denied():
        approve_held(use.redline, held.value.held_id, "Ada")
    assert use.read("a") == "1"


@pytest.mark.requirement("policy-hold")
def test_the_person_at_the_client_is_asked_and_the_first_answer_counts(bench: Open) -> None:
    use = bench("[[rule]]\npaths=['a', 'b', 'c', 'd']\naction='ask'", a="1", b="1", c="1", d="1")

    def origin(answer: Callable[[], bool | None]) -> Origin:
        return Origin("write_file", "agent", "", "", "s", lambda *_: answer())

    use.write("a", "2", origin(lambda: True))
    with pytest.raises(HeldRefused):
        use.write("b", "2", origin(lambda: False))
    with pytest.raises(ChangeHeld):
        use.write("c", "2", origin(lambda: None))

    def slower() -> bool:
        (waiting,) = [held for held in list_held(use.redline) if "d" in held.rulings[0].path]
        refuse_held(use.redline, waiting.id, "Ada", "first")
        return True

    with pytest.raises(HeldRefused, match="first"):
        use.write("d", "2", origin(slower))
    assert [use.read(name) for name in "abcd"] == ["2", "1", "1", "1"]


@pytest.mark.requirement("policy-wait")
def test_a_call_may_wait_for_the_decision(bench: Open) -> None:
    from threading import Thread

    use = bench("[[rule]]\npaths=['a']\naction='ask'", a="1")

    def approve() -> None:
        while not (waiting := list_held(use.redline)):
            pass
        approve_held(use.redline, waiting[0].id, "Ada")

    thread = Thread(target=approve)
    thread.start()
    use.write("a", "2", Origin("write_file", "agent", wait=60))
    thread.join()
    assert use.read("a") == "2"


@pytest.mark.requirement("policy-owner")
def test_the_owner_goes_past_the_policy(bench: Open) -> None:
    use = bench("default='deny'", a="1")
    use.write("a", "2", Origin("set", "command line", as_owner=True))
    assert use.read("a") == "2"


@pytest.mark.requirement("policy-paths")
def test_nested_roots_and_whole_names_are_judged(tmp_path: Path) -> None:
    (tmp_path / "ws/sub").mkdir(parents=True)
    file = tmp_path / "policy.toml"
    file.write_text(f"[[rule]]\npaths=['sub/x', '{tmp_path}/ws/y']\naction='deny'")
    settings = Settings(
        workspace=str(tmp_path / "ws/sub"),
        directories=((str(tmp_path / "ws"), True),),
        state_dir=str(tmp_path / "state"),
        policy=str(file),
    )
    with Redline(settings) as redline:
        for name in ("x", str(tmp_path / "ws/sub/x"), str(tmp_path / "ws/y")):
            place = redline.workspace.resolve(name, Access.WRITE)
            with denied():
                redline.editor.commit(plan_write(redline.tree, place, name, b"1"), ORIGIN)


@pytest.mark.requirement("policy-links")
def test_a_document_cannot_become_a_link(bench: Open) -> None:
    use = bench(DEPLOY, d_DOT_yaml=YAML)
    place = use.place("d.yaml")
    state = use.redline.tree.state(place)
    with denied("any field"):
        step = Change(place, state, LinkState("elsewhere"))
        use.redline.editor.commit(ChangeSet((step,)), ORIGIN)


@pytest.mark.requirement("policy-fields")
def test_an_empty_new_document_touches_a_value(bench: Open) -> None:
    use = bench("[[rule]]\npaths=['*']\nfields=['**']\naction='deny'")
    for name in ("new.yaml", "new.txt"):
        with denied():
            use.write(name, "\n")
