"""Random document, random path, random value: the laws every format keeps."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.errors import CannotApply, RedlineError
from redline.documents.formats import FORMATS, open_document
from tests.documents.writers import paths_of, write, writer_of
from tests.support import LONG

EXAMPLES = 2000 if LONG else 120
seeds = st.integers(0, 2**32)


def made(form: str, seed: int) -> tuple[random.Random, Any, bytes]:
    """A generator, random data, and that data as text."""
    rng = random.Random(seed)
    data = writer_of(form).data(rng, 3)
    return rng, data, write(form, data, rng)


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def related(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_the_writer_and_the_engine_read_the_same_data(form: str, seed: int) -> None:
    _, data, source = made(form, seed)
    assert open_document(source, form).data() == data


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_what_is_set_is_what_is_got_and_every_other_slice_stays(form: str, seed: int) -> None:
    rng, data, source = made(form, seed)
    document = open_document(source, form)
    path = rng.choice([p for p in paths_of(data) if p])
    value = rng.choice(writer_of(form).values)
    text = document.render(value)
    try:
        edit = document.set(path, text)
    except CannotApply:
        assert writer_of(form).may_refuse
        return
    after = open_document(edit.after, form)
    expected = copy.deepcopy(data)
    at(expected, path[:-1])[path[-1]] = value
    assert after.data() == expected
    assert after.data() != data or at(data, path) == value
    if form != "yaml" or not isinstance(value, dict | list):  # which take the form of their place
        assert after.get(path).text in (text, f"'{text}'")
    for other in paths_of(data):
        if not related(path, other):
            assert after.get(other).data == document.get(other).data, other


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_deleting_what_was_inserted_restores_the_bytes(form: str, seed: int) -> None:
    rng, data, source = made(form, seed)
    document = open_document(source, form)
    path = rng.choice([p for p in paths_of(data) if isinstance(at(data, p), dict | list)])
    holder = at(data, path)
    if isinstance(holder, list):
        place: tuple[Any, ...] = (*path, rng.randrange(len(holder) + 1))
    else:
        place = (*path, "new-key")
    text = document.render(rng.choice(writer_of(form).values))
    try:
        inserted = document.insert(place, text).after
    except CannotApply:
        assert writer_of(form).may_refuse
        return
    assert inserted != source
    restored = open_document(inserted, form).delete(place).after
    if form == "toml" and b"[" in source:
        assert open_document(restored, form).data() == data
        return
    assert restored == source


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_a_delete_takes_one_value_and_no_other(form: str, seed: int) -> None:
    rng, data, source = made(form, seed)
    path = rng.choice([p for p in paths_of(data) if p])
    try:
        after = open_document(source, form).delete(path).after
    except CannotApply:
        assert writer_of(form).may_refuse
        return
    expected = copy.deepcopy(data)
    del at(expected, path[:-1])[path[-1]]
    if form == "toml":
        return
    assert open_document(after, form).data() == expected


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_a_chain_of_parents_is_built_or_refused(form: str, seed: int) -> None:
    _, data, source = made(form, seed)
    document = open_document(source, form)
    path = ("brand", "new", "leaf")
    with pytest.raises(CannotApply):
        document.set(path, document.render("v"))
    if not writer_of(form).nests:
        return
    after = document.set(path, document.render("v"), create_parents=True).after
    expected = {**data, "brand": {"new": {"leaf": "v"}}}
    assert open_document(after, form).data() == expected


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds, st.text(max_size=12), st.text(max_size=12))
def test_any_value_at_any_path_is_verified_or_refused(
    form: str, seed: int, value: str, key: str
) -> None:
    rng, data, source = made(form, seed)
    path = rng.choice(list(paths_of(data)))
    if rng.random() < 0.3 and isinstance(at(data, path), dict):
        path = (*path, key)
    try:
        edit = open_document(source, form).set(path, value)
    except RedlineError:
        return
    after = open_document(edit.after, form)
    before_paths = [p for p in paths_of(data) if not related(p, path)]
    for other in before_paths:
        assert at(after.data(), other) == at(data, other), (other, edit.after)


@pytest.mark.requirement("docs-rename-key")
@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_a_renamed_key_is_where_it_was_with_what_it_had(form: str, seed: int) -> None:
    rng, data, source = made(form, seed)
    keys = [p for p in paths_of(data) if p and isinstance(p[-1], str)]
    if not keys:
        return
    path = rng.choice(keys)
    name = rng.choice(["renamed", "two words", "a.b", "it's", "on"])
    holder = at(data, path[:-1])
    try:
        after = open_document(source, form).rename(path, name).after
    except CannotApply:
        assert writer_of(form).may_refuse or name in holder
        return
    order = list(at(open_document(source, form).data(), path[:-1]))
    found = open_document(after, form).data()
    wanted = copy.deepcopy(data)
    inner = at(wanted, path[:-1])
    inner[name] = inner.pop(path[-1])
    assert found == wanted
    renamed = [name if key == path[-1] else key for key in order]
    assert list(at(found, path[:-1])) == renamed


@pytest.mark.requirement("docs-place-after")
@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=EXAMPLES)
@given(seeds)
def test_a_key_placed_after_another_follows_it_and_nothing_else_moves(form: str, seed: int) -> None:
    rng, data, source = made(form, seed)
    keys = [p for p in paths_of(data) if p and isinstance(p[-1], str)]
    if not keys:
        return
    path = rng.choice(keys)
    document = open_document(source, form)
    value = rng.choice(writer_of(form).values)
    new = (*path[:-1], "placed")
    try:
        after = document.insert(new, document.render(value, new), after=str(path[-1])).after
    except CannotApply:
        return
    order = list(at(document.data(), path[:-1]))
    found = open_document(after, form).data()
    wanted = copy.deepcopy(data)
    at(wanted, path[:-1])["placed"] = value
    assert found == wanted
    order.insert(order.index(path[-1]) + 1, "placed")
    assert list(at(found, path[:-1])) == order
