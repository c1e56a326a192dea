"""Modules, what they bring in, and crates that stand beside each other."""

from __future__ import annotations

from tests.code.rust.samples import holds


def test_a_function_is_found_through_modules_and_a_namesake_elsewhere_is_not() -> None:
    holds(
        "price",
        """
        === src/lib.rs
        mod shop;
        mod other;
        mod deep;
        pub use shop::price; // ref
        === src/shop.rs
        pub fn price() -> u32 { 1 } // it
        fn total() -> u32 { price() + self::price() } // ref
        fn shadowed(price: u32) -> u32 { price }
        === src/other.rs
        pub fn price() -> u32 { 2 }
        fn own() -> u32 { price() }
        fn theirs() -> u32 { crate::shop::price() } // ref
        fn again() -> u32 { crate::price() } // ref
        fn sideways() -> u32 { super::shop::price() } // ref
        === src/deep/mod.rs
        mod below;
        use crate::shop;
        fn there() -> u32 { shop::price() } // ref
        === src/deep/below.rs
        use crate::shop::{self as market, price as cost}; // ref
        fn one() -> u32 { market::price() } // ref
        fn two() -> u32 { super::super::price() } // ref
        fn three() -> u32 { price() }
        """,
    )


def test_globs_bring_in_what_no_nearer_name_hides() -> None:
    holds(
        "Item",
        """
        === src/lib.rs
        pub struct Item; // it
        mod a;
        mod tests {
            use super::*;
            fn made() -> Item { Item } // ref
        }
        mod closed {
            fn made() -> Item { Item }
        }
        === src/a.rs
        use crate::*;
        fn one(it: &Item) {} // ref
        mod inner {
            struct Item;
            use super::super::*;
            fn two(it: &Item) {}
        }
        """,
    )


def test_a_crate_is_known_by_what_the_manifest_calls_it() -> None:
    holds(
        "Thing",
        """
        === Cargo.toml
        [workspace]
        members = ["core", "app"]
        [workspace.dependencies]
        the-core = { path = "core" }
        === core/Cargo.toml
        [package]
        name = "the-core"
        === core/src/lib.rs
        pub struct Thing; // it
        === core/tests/own.rs
        use the_core::Thing; // ref
        === app/Cargo.toml
        [package]
        name = "app"
        [dependencies]
        the-core = { workspace = true }
        renamed = { path = "../core", package = "the-core" }
        foreign = "1"
        === app/src/main.rs
        use the_core::Thing; // ref
        use foreign::Thing as Other;
        fn f(a: Thing, b: renamed::Thing, c: foreign::Thing) {} // ref
        fn g(c: foreign::Thing, d: Other) {}
        """,
    )


def test_a_module_is_found_by_the_paths_that_lead_through_it() -> None:
    holds(
        "shop",
        """
        === src/lib.rs
        pub mod shop; // it
        fn f() { shop::open() } // ref
        === src/shop.rs
        pub fn open() { let shop = 1; drop(shop) }
        === src/other.rs
        use crate::shop::{self, open}; // ref
        fn g() { shop::open() } // ref
        """,
    )


def test_types_and_values_of_one_name_are_two() -> None:
    holds(
        "unit",
        """
        === src/lib.rs
        mod unit { pub fn one() {} }
        fn unit() {} // it
        fn f() { unit(); unit::one(); } // ref
        fn g() { unit::one(); }
        """,
    )


def test_macros_are_found_by_their_own_names() -> None:
    holds(
        "fail",
        """
        === src/lib.rs
        macro_rules! fail { // it
            ($e:expr) => { return $e };
        }
        pub(crate) use fail; // ref
        fn f() { fail!(1); } // ref
        mod b { fn fail() {} fn g() { fail(); } }
        === src/a.rs
        use crate::fail; // ref
        fn f() { crate::fail!(1) } // ref
        """,
    )


def test_macros_of_one_name_are_apart_in_modules_and_functions() -> None:
    holds(
        "tally",
        """
        === src/lib.rs
        mod a {
            macro_rules! tally { () => {} } // it
            fn f() { tally!(); } // ref
            mod deeper { fn f() { tally!(); } } // ref
            fn g() {
                macro_rules! tally { ($e:expr) => { $e } }
                tally!(tally!(1));
            }
            fn h() { tally!(tally!()); } // ref
        }
        mod b {
            macro_rules! tally { () => {} }
            pub(crate) use tally;
            fn f() { tally!(); }
        }
        """,
    )


def test_variants_of_a_macro_and_what_is_seen_from_elsewhere_are_taken_together() -> None:
    holds(
        "tally",
        """
        === src/lib.rs
        #[cfg(unix)]
        macro_rules! tally { () => {} } // it
        #[cfg(windows)]
        macro_rules! tally { () => {} } // ref
        fn f() { tally!(); } // ref
        mod a { fn f() { tally!(); crate::tally!(); } } // ref
        """,
    )


def test_a_macro_is_another_before_it_is_defined_again_further_in() -> None:
    holds(
        "tally",
        """
        === src/lib.rs
        macro_rules! tally { () => {} } // it
        fn f() {
            tally!(); // ref
            {
                tally!(); // ref
                macro_rules! tally { () => {} }
                tally!();
                crate::tally!(); // ref
            }
            tally!(); // ref
        }
        """,
    )


def test_a_word_of_a_macro_s_pattern_and_a_parameter_refer_to_nothing() -> None:
    holds(
        "price",
        """
        === src/lib.rs
        fn price() {} // it
        macro_rules! add {
            (price: $price:expr) => { $price + 1 };
            ($($price:ident),*) => { $(let $price = $price;)* };
            (all) => { price() }; // maybe
        }
        """,
    )


def test_words_of_attributes_are_for_the_compiler() -> None:
    holds(
        "Debug",
        """
        === src/lib.rs
        #[derive(Debug, Clone)]
        pub struct Debug; // it
        fn f() -> Debug { Debug } // ref
        """,
    )


def test_files_of_inline_modules_and_of_other_targets_are_found() -> None:
    holds(
        "Thing",
        """
        === Cargo.toml
        [package]
        name = "shop"
        === src/lib.rs
        pub struct Thing; // it
        mod outer { mod inner; }
        === src/outer/inner.rs
        use super::super::Thing; // ref
        fn f(x: crate::Thing) {} // ref
        === src/bin/run.rs
        use shop::Thing; // ref
        fn f(x: crate::Thing) {} // ref
        === tests/all.rs
        mod common;
        struct Thing;
        fn f(x: crate::Thing, y: shop::Thing) {} // ref
        fn g(x: crate::Thing) {}
        === tests/common/mod.rs
        use shop::Thing; // ref
        """,
    )
