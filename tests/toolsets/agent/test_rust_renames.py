"""rename in Rust: what a build chooses by `cfg` gets the new name in all variants."""

from __future__ import annotations

import re

import pytest

from tests.toolsets.agent.conftest import Desk

MANIFEST = '[package]\nname = "town"\nversion = "0.1.0"\n'
DOOR = "pub struct Door { pub @size@: u8 }\n\nimpl Door {\n    pub fn @open@(&self) {}\n}\n"
# Each use of the symbol is `@symbol@`.
CASES = {
    "globs": {
        "src/lib.rs": "#[cfg(unix)]\nmod one;\n#[cfg(unix)]\npub use self::one::*;\n"
        "#[cfg(not(unix))]\nmod two;\n#[cfg(not(unix))]\npub use self::two::*;\n\n"
        "pub fn go() {\n    @open@();\n}\n",
        "src/one.rs": "pub fn @open@() {}\n",
        "src/two.rs": "pub fn @open@() {}\n",
    },
    "aliases": {
        "src/lib.rs": "#[cfg(unix)]\nmod one;\n#[cfg(unix)]\nuse one as imp;\n"
        "#[cfg(not(unix))]\nmod two;\n#[cfg(not(unix))]\nuse two as imp;\n\n"
        "pub fn go() {\n    imp::@open@();\n}\n",
        "src/one.rs": "pub fn @open@() {}\n",
        "src/two.rs": "pub fn @open@() {}\n",
    },
    "path": {
        "src/lib.rs": "#[cfg(unix)]\nmod one;\n"
        '#[cfg(not(unix))]\n#[path = "sys/two.rs"]\nmod one;\n'
        '#[path = "sys/three.rs"]\nmod other;\n\npub fn go() {\n    one::@open@();\n}\n',
        "src/one.rs": "pub fn @open@() {}\n",
        "src/sys/two.rs": "pub fn @open@() {}\n",
        "src/sys/three.rs": "pub fn open() {}\n",
        "src/other.rs": "pub fn open() {}\n",
    },
    "conditional path": {
        "src/lib.rs": '#[cfg_attr(windows, path = "two.rs")]\nmod one;\n\n'
        "pub fn go() {\n    one::@open@();\n}\n",
        "src/one.rs": "pub fn @open@() {}\n",
        "src/two.rs": "pub fn @open@() {}\n",
    },
    "inline modules": {
        "src/lib.rs": "#[cfg(unix)]\nmod one {\n    pub fn @open@() {}\n}\n"
        "#[cfg(not(unix))]\nmod one {\n    pub fn @open@() {}\n}\n"
        "mod other {\n    pub fn open() {}\n}\n\npub fn go() {\n    one::@open@();\n}\n",
    },
    "methods": {
        "src/lib.rs": "#[cfg(unix)]\nmod one;\n#[cfg(unix)]\npub use one::Door;\n"
        "#[cfg(not(unix))]\nmod two;\n#[cfg(not(unix))]\npub use two::Door;\n\n"
        "pub fn go(door: &Door) {\n    door.@open@();\n}\n",
        "src/one.rs": DOOR.replace("@size@", "size"),
        "src/two.rs": DOOR.replace("@size@", "size"),
    },
    "methods of one type": {
        "src/lib.rs": "#[cfg(unix)]\nmod one;\n#[cfg(not(unix))]\nmod two;\n\npub struct Door;\n"
        "pub struct Gate;\n\nimpl Gate {\n    fn open(&self) {}\n}\n\n"
        "pub fn go(door: &Door) {\n    door.@open@();\n}\n",
        "src/one.rs": "impl super::Door {\n    pub fn @open@(&self) {}\n}\n",
        "src/two.rs": "use crate::Door;\n\nimpl Door {\n    pub fn @open@(&self) {}\n}\n",
    },
    "fields": {
        "src/lib.rs": "#[cfg(unix)]\npub struct Door { pub @size@: u8 }\n"
        "#[cfg(not(unix))]\npub struct Door {\n    pub @size@: u16,\n}\n"
        "pub struct Gate { pub size: u8 }\n\n"
        "pub fn go(door: &Door, gate: &Gate) -> bool {\n"
        "    door.@size@ == 1 || gate.size == 1\n}\n",
    },
}


@pytest.mark.requirement("agent-rename-variants")
@pytest.mark.parametrize("case", CASES)
def test_all_variants_of_a_build_are_renamed_together(desk: Desk, case: str) -> None:
    marked = CASES[case]
    plain = {name: text.replace("@", "") for name, text in marked.items()}
    for name, text in marked.items():
        for nth, line in enumerate(text.split("\n"), 1):
            defined = re.search(r"(?:fn|pub) @(\w+)@", line)
            if defined is None:
                continue
            desk.write({"Cargo.toml": MANIFEST, **plain})
            desk.text("rename", symbol=defined[1], to="renamed", path=name, line=nth)
            for other, expected in marked.items():
                wanted = expected.replace(f"@{defined[1]}@", "renamed")
                assert (desk.root / other).read_text() == wanted, (name, nth)


@pytest.mark.requirement("agent-rename-variants")
def test_methods_of_one_type_with_other_arguments_are_no_variants(desk: Desk) -> None:
    lib = (
        "pub struct Door<T>(T);\n\nimpl Door<u8> {\n    fn open(&self) {}\n}\n\n"
        "impl Door<u16> {\n    fn open(&self) {}\n}\n\n"
        "fn go(door: &Door<u8>) {\n    door.open();\n}\n"
    )
    desk.write({"Cargo.toml": MANIFEST, "src/lib.rs": lib})
    failure = desk.failure("rename", symbol="open", to="unlock", path="src/lib.rs", line=4)
    assert "what refers to the member open: src/lib.rs:12" in failure


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/main.rs", "fn main() {}\n"),
        ("main.go", "package main\n\nfunc main() {}\n"),
        ("main.go", "package main\n\nvar a = 1\n\nfunc init() { a = 2 }\n"),
        ("main.c", "int main(void) { return 0; }\n"),
    ],
)
def test_a_function_keeps_its_name_that_a_program_starts_at(
    desk: Desk, name: str, text: str
) -> None:
    desk.write({name: text})
    symbol = "init" if "init" in text else "main"
    failure = desk.failure("rename", symbol=symbol, to="start", path=name)
    assert f"A program starts at the function of this name: {symbol}" in failure


@pytest.mark.requirement("agent-rename-bound")
def test_a_type_inside_a_method_of_a_library_s_trait_is_renamed(desk: Desk) -> None:
    lib = (
        "use std::fmt;\n\nstruct Shop;\n\nimpl fmt::Debug for Shop {\n"
        "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n"
        "        struct Shown;\n        let _ = Shown;\n        Ok(())\n    }\n}\n"
    )
    desk.write({"Cargo.toml": MANIFEST, "src/lib.rs": lib})
    desk.text("rename", symbol="Shown", to="Printed", path="src/lib.rs", line=7)
    assert (desk.root / "src/lib.rs").read_text() == lib.replace("Shown", "Printed")


@pytest.mark.requirement("agent-rename-bound")
def test_a_member_of_a_trait_that_another_trait_has_too_is_for_a_checker(desk: Desk) -> None:
    lib = (
        "use std::ops::Index;\n\ntrait Pick {\n    fn @index@(&self) -> u8;\n}\n\nstruct Shop;\n\n"
        "impl Pick for Shop {\n    fn @index@(&self) -> u8 {\n        1\n    }\n}\n\n"
        "struct Row<T>(Vec<T>);\n\nimpl<T> Index<usize> for Row<T>\nwhere\n    T: Copy,\n{\n"
        "    type Output = T;\n    fn index(&self, at: usize) -> &T {\n"
        "        &self.0[at]\n    }\n}\n\n"
        "fn index() {}\n"
    )
    desk.write({"Cargo.toml": MANIFEST, "src/lib.rs": lib.replace("@", "")})
    failure = desk.failure("rename", symbol="index", to="choose", path="src/lib.rs", line=4)
    assert "what refers to the member index: src/lib.rs:22" in failure


@pytest.mark.requirement("agent-rename-bound")
def test_a_field_that_a_macro_accesses_of_self_is_renamed(desk: Desk) -> None:
    lib = (
        "macro_rules! copy_fields {\n    ($($field:ident),*) => {\n"
        "        fn copy(&self) -> Self { Self { $($field: self.$field.clone(),)* } }\n"
        "    };\n}\n\n"
        "struct Shop {\n    @size@: u8,\n    door: u8,\n}\n\n"
        "impl Shop {\n    copy_fields!(@size@, door);\n}\n\n"
        "struct Hat {\n    size: u8,\n}\n\nimpl Hat {\n    copy_fields!(size);\n}\n"
    )
    desk.write({"Cargo.toml": MANIFEST, "src/lib.rs": lib.replace("@", "")})
    desk.text("rename", symbol="size", to="extent", path="src/lib.rs", line=8)
    assert (desk.root / "src/lib.rs").read_text() == lib.replace("@size@", "extent")


@pytest.mark.requirement("agent-rename-uncertain")
@pytest.mark.parametrize(
    "words", ["a size b", "shop.size()", "to x { fn size(&self); }", "Shop::size"]
)
def test_a_bare_word_that_a_library_s_macro_is_given_is_no_method(desk: Desk, words: str) -> None:
    lib = (
        "struct Shop;\n\nimpl Shop {\n    fn size(&self) {}\n}\n\n"
        f"serde::forward! {{\n    {words}\n}}\n"
    )
    desk.write({"Cargo.toml": MANIFEST, "src/lib.rs": lib})
    if words == "a size b":
        desk.text("rename", symbol="size", to="extent", path="src/lib.rs", line=4)
    else:
        failure = desk.failure("rename", symbol="size", to="extent", path="src/lib.rs", line=4)
        assert "what refers to the member size: src/lib.rs:8" in failure
