"""Fields, methods, variants and types of traits belong to the type that the code says."""

from __future__ import annotations

import pytest

from tests.code.rust.samples import holds


def test_a_field_is_found_where_the_type_of_its_value_is_plain() -> None:
    holds(
        "size",
        """
        === src/lib.rs
        pub struct Box1 { pub size: u32 } // it
        pub struct Other { pub size: u32 }
        impl Box1 {
            pub fn new(size: u32) -> Self { Self { size } } // ref
            fn get(&self) -> u32 { self.size } // ref
        }
        fn written(a: &Box1, b: &Other) -> u32 { a.size + b.size } // ref
        fn not(b: &Other) -> u32 { b.size }
        fn made() { let x = Box1::new(1); x.size; } // ref
        fn literal() { let x = Other { size: 1 }; x.size; }
        fn apart(x: Box1) { let Box1 { size } = x; drop(size); } // ref
        fn renamed(x: Box1) { let Box1 { size: other } = x; } // ref
        fn list(all: Vec<Box1>) { for x in &all { x.size; } } // ref
        fn closure(all: &[Box1]) -> Vec<u32> { all.iter().map(|x| x.size).collect() } // maybe
        fn maybe(x: Option<Box1>) { if let Some(x) = x { x.size; } } // ref
        fn unknown() { foreign::make().size; } // maybe
        fn library(x: &Vec<u32>) { x.size; }
        fn shown(x: &Box1) { println!("{}", x.size); } // ref
        fn twice(x: Box1, y: Other) { let x = y; x.size; }
        """,
    )


def test_a_method_of_what_a_call_is_declared_to_give_is_bound() -> None:
    holds(
        "run",
        """
        === src/lib.rs
        pub mod job;
        use job::{Job, Queue};
        pub struct Dog;
        impl Dog { fn run(&self) {} }
        fn a(q: &Queue) { q.first().unwrap().run(); } // maybe
        fn b(q: &Queue) -> Result<(), ()> { q.find(1)?.run(); Ok(()) } // ref
        fn c(d: Dog) { d.run(); Dog::run(&d); }
        fn d(j: std::sync::Arc<Job>) { j.clone().run(); Job::run(&j); } // ref
        fn e(q: &Queue) { q.jobs[0].run(); q.by_name.get("a").map(|j| j.run()); } // ref
        fn f(q: Queue) { match q.find(2) { Ok(j) => j.run(), Err(_) => {} } } // ref
        === src/job.rs
        use std::collections::HashMap;
        pub struct Job;
        impl Job {
            pub fn run(&self) {} // it
        }
        pub struct Queue { pub jobs: Vec<Job>, pub by_name: HashMap<String, Job> }
        pub type Found<'a> = Result<&'a Job, ()>;
        impl Queue {
            pub fn first(&self) -> Option<&Job> { self.jobs.first() }
            pub fn find(&self, n: usize) -> Found<'_> { self.jobs.get(n).ok_or(()) }
        }
        """,
    )


def test_variants_are_found_through_their_enum_and_what_brings_them_in() -> None:
    holds(
        "Red",
        """
        === src/lib.rs
        pub enum Colour { Red, Green } // it
        pub enum Light { Red }
        use Light::Red as Stop;
        impl Colour { fn warm(&self) -> bool { matches!(self, Self::Red) } } // ref
        fn a(c: Colour) -> u8 { match c { Colour::Red => 1, _ => 2 } } // ref
        fn b(l: Light) { match l { Light::Red => {} } }
        mod inner {
            use super::Colour::*;
            fn c() { let x = Red; } // ref
        }
        """,
    )


def test_of_a_trait_all_implementations_are_the_same() -> None:
    holds(
        "draw",
        """
        === src/lib.rs
        pub trait Draw { fn draw(&self); } // it
        pub struct A;
        pub struct B;
        impl Draw for A { fn draw(&self) {} } // ref
        impl B { fn draw(&self) {} }
        fn generic<T: Draw>(t: T) { t.draw() } // ref
        fn object(t: &dyn Draw) { t.draw() } // ref
        fn given(t: impl Draw) { t.draw() } // ref
        fn by_where<T>(t: T) where T: Draw { t.draw() } // ref
        fn concrete(a: A, b: B) { a.draw(); } // ref
        fn other(b: B) { b.draw(); }
        """,
    )


def test_of_an_implementation_only_calls_that_reach_it_are_bound() -> None:
    holds(
        "draw",
        """
        === src/lib.rs
        pub trait Draw { fn draw(&self); fn twice(&self) { self.draw(); } }
        pub struct A;
        pub struct C;
        impl Draw for A {
            fn draw(&self) {} // it
        }
        impl Draw for C { fn draw(&self) {} }
        fn a(a: A) { a.draw(); } // ref
        fn c(c: C) { c.draw(); }
        fn object(t: &dyn Draw) { t.draw() }
        """,
    )


def test_what_a_trait_gives_by_default_is_found_on_types_that_have_it() -> None:
    holds(
        "twice",
        """
        === src/lib.rs
        pub trait Draw { fn draw(&self); fn twice(&self) { self.draw(); } } // it
        pub trait More: Draw { fn more(&self) { self.twice() } } // ref
        pub struct A;
        pub struct B;
        impl Draw for A { fn draw(&self) {} }
        fn a(a: A) { a.twice(); } // ref
        fn number(n: u8) { n.twice(); }
        """,
    )


@pytest.mark.parametrize(
    ("required", "given"),
    [
        ("", ""),
        ("fn draw(&self);", "impl<T: Copy> Draw for T { fn draw(&self) {} }"),
        ("fn draw(&self);", "impl Draw for u8 { fn draw(&self) {} }"),
        (
            "fn draw(&self);",
            "macro_rules! draw { ($t:ty) => { impl Draw for $t { fn draw(&self) {} } } }",
        ),
    ],
    ids=["nothing required", "for all", "for it", "by a macro"],
)
def test_a_trait_may_give_a_library_s_type_what_its_impls_do_not_rule_out(
    required: str, given: str
) -> None:
    holds(
        "twice",
        f"""
        === src/lib.rs
        pub trait Draw {{ {required} fn twice(&self) {{}} }} // it
        {given}
        fn number(n: u8) {{ n.twice(); }} // maybe
        """,
    )


def test_what_a_library_s_values_give_alone_is_the_library_s() -> None:
    holds(
        "level",
        """
        === src/lib.rs
        use log::{Level, Record};
        pub struct Shop;
        impl Shop { pub fn level(&self) {} } // it
        fn chain() { Record::builder().line(1).level(Level::Info); }
        fn given(s: &Shop) { Record::of(s).level(); } // maybe
        fn kept() { let r = Record::builder(); r.level(); } // maybe
        fn stated() { Record::make::<Shop>().level(); } // maybe
        fn function() { chain.level(); }
        """,
    )


def test_self_stands_for_its_type() -> None:
    holds(
        "Point",
        """
        === src/lib.rs
        pub struct Point { x: i32 } // it
        impl Point { // ref
            fn zero() -> Self { // ref
                Self { x: 0 } // ref
            }
        }
        struct Other;
        impl Other { fn one() -> Self { Self } }
        """,
    )


def test_types_of_a_trait_are_one_with_what_they_are_said_to_be() -> None:
    holds(
        "Output",
        """
        === src/lib.rs
        pub trait Decode { type Output; fn decode() -> Self::Output; } // it
        pub struct D;
        impl Decode for D {
            type Output = u8; // ref
            fn decode() -> Self::Output { 1 } // ref
        }
        fn any<T: Decode>() -> T::Output { T::decode() } // ref
        struct Output;
        fn none() -> Output { Output }
        """,
    )


def test_what_a_macro_of_a_library_makes_of_a_word_is_not_known() -> None:
    holds(
        "rate",
        """
        === src/lib.rs
        fn rate() -> u32 { 1 } // it
        macro_rules! own { ($e:expr) => { $e } }
        fn a() { assert_eq!(rate(), 1); } // ref
        fn b() { own!(rate()); } // ref
        fn c() { foreign::group!(rate); } // maybe
        fn d(rate: u32) { foreign::group!(rate); }
        """,
    )


def test_types_given_to_a_trait_of_the_standard_library_are_of_one_kind() -> None:
    holds(
        "Item",
        """
        === src/lib.rs
        pub struct A;
        pub struct B;
        impl Iterator for A {
            type Item = u8; // it
            fn next(&mut self) -> Option<Self::Item> { None } // ref
        }
        impl std::iter::Iterator for B { type Item = u16; } // ref
        impl foreign::Other for B { type Item = u32; }
        fn f<I: Iterator>(all: I) -> Vec<I::Item> { all.collect() } // ref
        fn g(all: impl Iterator<Item = u8>) {} // ref
        fn h<I: IntoIterator>(all: I) -> Vec<I::Item> { vec![] }
        struct Item;
        """,
    )


def test_a_word_that_a_macro_of_ours_makes_a_path_of_is_what_the_path_leads_to() -> None:
    holds(
        "Late",
        """
        === src/lib.rs
        pub enum Kind { Late, Early } // it
        pub struct Late;
        macro_rules! fail {
            ($kind:ident, $at:expr) => { fail($crate::Kind::$kind, $at) };
        }
        macro_rules! give {
            ($from:ty, $to:ident, $kind:ident) => { fn from(x: $from) -> $to { $to::$kind } };
        }
        fn a() { fail!(Late, 1) } // ref
        fn b() { fail!(Early, Late) } // maybe
        give!(u8, Kind, Late); // ref
        """,
    )


def test_what_a_closure_is_passed_is_possible() -> None:
    holds(
        "cut",
        """
        === src/lib.rs
        pub struct Text;
        impl Text { fn cut(&self) {} } // it
        pub struct Other;
        impl Other { fn cut(&self) {} }
        pub struct All { texts: Vec<Text> }
        impl All {
            fn each<F>(&self, mut f: F) where F: FnMut(usize, &Text) -> u8 {}
        }
        fn run(f: impl Fn(Text), g: fn(Other)) {}
        fn a(all: All) { all.each(|_, text| text.cut()); } // maybe
        fn b() { run(|text| text.cut(), |_| ()); } // maybe
        fn c() { run(|_| (), |other| other.cut()); } // maybe
        """,
    )


def test_a_field_and_a_method_of_one_name_are_two() -> None:
    holds(
        "line",
        """
        === src/lib.rs
        pub struct Place { line: u32 } // it
        impl Place { fn line(&self) -> u32 { self.line } } // ref
        fn a(p: Place) -> u32 { p.line() + 1 }
        fn b(p: Place) -> u32 { assert_eq!(p.line(), 1); p.line } // ref
        """,
    )


def test_what_an_iterator_gives_is_possible() -> None:
    holds(
        "empty",
        """
        === src/lib.rs
        pub type Items<'a> = Box<dyn Iterator<Item = (&'a str, &'a Item)> + 'a>;
        pub struct Item;
        impl Item { fn empty(&self) -> bool { true } } // it
        pub struct Table;
        impl Table {
            fn iter(&self) -> Items<'_> { unimplemented!() }
            fn count(&self) -> usize { self.iter().filter(|&(_, v)| !v.empty()).count() } // maybe
        }
        """,
    )


def test_which_of_several_conversions_is_meant_is_left_open() -> None:
    holds(
        "from",
        """
        === src/lib.rs
        pub struct A;
        pub struct B;
        impl From<u8> for A {
            fn from(x: u8) -> Self { A } // it
        }
        impl From<u16> for A { fn from(x: u16) -> Self { A } }
        impl From<u16> for B { fn from(x: u16) -> Self { B } }
        fn a() { A::from(1u16); } // maybe
        fn b() { B::from(1u16); String::from("x"); }
        """,
    )


def test_what_a_type_is_read_as_passes_its_members_on() -> None:
    holds(
        "size",
        """
        === src/lib.rs
        use std::ops::Deref;
        pub struct Inner { size: u8 }
        impl Inner { fn size(&self) -> u8 { self.size } } // it
        pub struct Outer(Inner);
        impl Deref for Outer { type Target = Inner; fn deref(&self) -> &Inner { &self.0 } }
        fn a(o: Outer) { o.size(); o.0.size(); } // ref
        """,
    )


def test_a_member_is_found_through_what_a_generic_type_dereferences_to() -> None:
    holds(
        "open",
        """
        === src/lib.rs
        pub struct Guard<T>(T);
        impl<T> std::ops::Deref for Guard<T> { type Target = T; fn deref(&self) -> &T { &self.0 } }
        pub struct Shop;
        impl Shop { fn open(&self) {} } // it
        pub struct Hat;
        impl Hat { fn open(&self) {} }
        fn go(s: Guard<Shop>, h: Guard<Hat>) {
            s.open(); // ref
            h.open();
        }
        """,
    )


def test_a_library_s_container_has_no_member_of_what_it_holds() -> None:
    holds(
        "open",
        """
        === src/lib.rs
        pub struct Shop;
        impl Shop { fn open(&self) {} } // it
        fn go(all: Vec<Shop>, other: foreign::Pointer<Shop>) {
            all.open();
            other.open(); // maybe
        }
        """,
    )


def test_a_container_s_own_method_is_not_a_trait_s() -> None:
    holds(
        "remove",
        """
        === src/lib.rs
        pub trait Rows { fn remove(&mut self, at: usize); } // it
        impl Rows for Vec<u8> {
            fn remove(&mut self, at: usize) { // ref
                self.remove(at);
            }
        }
        fn go(v: &mut Vec<u8>, r: &mut dyn Rows) {
            v.remove(0);
            r.remove(0); // ref
        }
        """,
    )
