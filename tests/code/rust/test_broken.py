"""Files that are half typed: never an error, and what can be told still is."""

from __future__ import annotations

import re

import pytest

from redline.code.rust.resolver import RustResolver
from tests.code.marked import Sample, path_of
from tests.code.rust.samples import holds

_WHOLE = """use crate::name::{self, Name as Other, name::*};
pub use super::name;
extern crate name as alias;
mod name;
#[derive(Name)]
pub struct Name<'a, T: name::Tr<Name> = u8> where T: Clone { pub name: &'a T, g: Vec<Option<T>> }
struct Tuple(pub name::Name, B);
enum E { name, B(u8), C { name: i32 }, D = name }
impl<T> name::Tr<T> for Name<T> {
    type Name = T;
    const name: usize = 1;
    fn name(&self, (name, b): (A, B), mut c: impl Fn(Name) -> Name) -> Result<Self::Name, E> {
        let Some(name) = self.name.name()? else { return };
        if let E::C { name, y: ref z, .. } = name && let Name { name } = q { name.name }
        match name { E::name | E::B(_) if name => 1, Name { name, .. } => name.x, n @ 1..=5 => n }
        for name in 0..self.name() { name[0].name; }
        let name = |name: u8, (b, name)| name + b.name;
        let s = Name { name: 1, g, ..Default::default() };
        let p = <T as Name>::name::<u8>(name);
        assert_eq!(name.name(), Name::name, "{name}");
        foreign!{ name => $name.name, self.name, Name::name }
        matches!(name, Name { name: _ } if name.0.name.1)
    }
}
trait Tr: Name { type Name: B; fn name(&self) -> Self::Name; }
macro_rules! name { ($name:expr, $($y:ident),*) => { name($name); }; }
type Alias<T> = Name<T>;
"""


@pytest.mark.parametrize("word", ["name", "Name"])
def test_a_file_cut_anywhere_never_raises(word: str) -> None:
    for end in range(0, len(_WHOLE), 7):
        _ask_everywhere(_WHOLE[:end], word)


@pytest.mark.parametrize("word", ["name", "Name"])
def test_a_file_with_a_word_taken_out_never_raises(word: str) -> None:
    for found in list(re.finditer(r"\S+", _WHOLE))[::3]:
        _ask_everywhere(_WHOLE[: found.start()] + _WHOLE[found.end() :], word)


def _ask_everywhere(text: str, word: str) -> None:
    sample = Sample({"src/lib.rs": text, "src/name.rs": "pub fn name() {}\npub struct Name;\n"})
    path = path_of("src/lib.rs")
    referring = RustResolver(word, sample.reading())
    for found in list(re.finditer(rf"\b{word}\b", text))[::4]:
        target = referring.target(path, found.start())
        if target is not None:
            assert referring.in_file(path, [target]) is not None


def test_what_is_whole_is_told_beside_what_is_broken() -> None:
    holds(
        "price",
        """
        === src/lib.rs
        fn price() -> u32 { 1 } // it
        fn total() -> u32 { price() } // ref
        fn broken( { let = ;
        """,
    )


def test_what_is_nested_too_deep_to_be_walked_goes_by_name() -> None:
    deep = "(" * 3000 + "name()" + ")" * 3000
    sample = Sample({"src/lib.rs": f"fn name() -> u8 {{ {deep} }}\n", "src/b.rs": "fn name() {}\n"})
    referring = RustResolver("name", sample.reading())
    assert referring.target(path_of("src/lib.rs"), 3) is None
    target = referring.target(path_of("src/b.rs"), 3)
    assert target is not None
    assert referring.in_file(path_of("src/lib.rs"), [target]) is None
