"""References to Java's fields and methods: receivers, overloads, overrides, locals that hide."""

from __future__ import annotations

from tests.code.java.samples import holds


def test_a_field_is_found_through_receivers_and_locals_of_its_name_are_not() -> None:
    holds(
        "size",
        """
        === a/Box.java
        package a;
        public class Box {
          public int size; // it
          Box next;
          int one() {
            return size; // ref
          }
          int two(int size) {
            this.size = size; // ref
            return size;
          }
          int three() {
            int size = 1;
            return size;
          }
          int four() {
            { int size = 2; }
            return next.next.size; // ref
          }
        }
        === a/Big.java
        package a;
        class Big extends Box {
          int k = size; // ref
        }
        === a/Own.java
        package a;
        class Own extends Box {
          int size;
          int k = size;
        }
        === a/Bag.java
        package a;
        class Bag {
          int size;
          int k = size;
        }
        === b/User.java
        package b;
        import a.*;
        class User {
          void m(Box box, Bag bag, Own own) {
            box.size = bag.size; // ref
            bag.size = 1;
            own.size = 2;
            for (var b : new Box[0]) b.size++; // ref
            Runnable r = () -> System.out.println(box.size); // ref
          }
        }
        """,
    )


def test_overloads_are_told_apart_by_the_number_of_arguments_alone() -> None:
    holds(
        "put",
        """
        === a/Store.java
        package a;
        class Store {
          void put(CharSequence s) { } // it
          void put(int n) { }
          void put(Object o) { }
          void put(int a, int b) { }
          void m(java.util.List<String> all, StringBuilder b, Long n) {
            put("x"); // maybe
            put(1); // maybe
            put(n); // maybe
            put(1, 2);
            put(b); // maybe
            put(all.get(0)); // maybe
            put('c'); // maybe
            put(new Store()); // maybe
            put(unknown()); // maybe
            unknown().put(1, 2);
            unknown().put(1); // maybe
          }
        }
        """,
    )


def test_calls_of_what_is_overridden_and_of_what_overrides_count_but_not_of_siblings() -> None:
    holds(
        "area",
        """
        === a/Shape.java
        package a;
        interface Shape {
          double area(); // ref
        }
        === a/Square.java
        package a;
        class Square implements Shape {
          public double area() { return 1; } // it
        }
        === a/Tile.java
        package a;
        class Tile extends Square {
          public double area() { // ref
            return super.area(); // ref
          }
        }
        === a/Disc.java
        package a;
        class Disc implements Shape {
          public double area() { return 2; }
        }
        === a/User.java
        package a;
        class User {
          void m(Shape s, Square q, Disc d, Tile t) {
            s.area(); // ref
            q.area(); // ref
            d.area();
            t.area(); // ref
          }
        }
        """,
    )


def test_values_out_of_collections_lambdas_and_generic_methods_are_possible() -> None:
    holds(
        "name",
        """
        === a/Item.java
        package a;
        class Item {
          String name() { return null; } // it
        }
        === a/Other.java
        package a;
        class Other {
          String name() { return null; }
        }
        === a/Box.java
        package a;
        class Box<T extends Other> {
          T held;
          <K> K same(K k) { return k; }
          String n() { return held.name(); }
        }
        === a/User.java
        package a;
        import java.util.*;
        import java.util.stream.*;
        class User {
          void m(List<Item> all, Map<String, List<Item>> by, Box<Other> box, Item[] row) {
            for (Item i : all) i.name(); // ref
            for (var i : all) i.name(); // maybe
            by.get("k").get(0).name(); // maybe
            row[0].name(); // ref
            all.stream().filter(i -> i.name() != null); // maybe
            all.stream().map(i -> new Other()).forEach(o -> o.name()); // maybe
            all.stream().map(Item::name); // ref
            box.held.name();
            box.same(all.get(0)).name(); // maybe
            box.same(box.held).name(); // maybe
            by.forEach((k, v) -> v.get(0).name()); // maybe
            for (Map.Entry<String, List<Item>> e : by.entrySet())
              e.getValue().get(1).name(); // maybe
            Optional.of(all.get(0)).get().name(); // maybe
            if (row instanceof Object o && o.hashCode() == 1) { }
            Object thing = all;
            if (thing instanceof Item it) it.name(); // ref
            ((Other) thing).name();
            new Item() { }.name(); // ref
            Thread.currentThread().name();
          }
        }
        """,
    )


def test_static_members_are_found_through_imports_and_inheritance() -> None:
    holds(
        "LIMIT",
        """
        === a/Rules.java
        package a;
        public class Rules {
          public static final int LIMIT = 1; // it
        }
        === a/More.java
        package a;
        class More extends Rules {
          int k = LIMIT; // ref
        }
        === b/One.java
        package b;
        import static a.Rules.LIMIT; // ref
        class One {
          int k = LIMIT; // ref
        }
        === b/All.java
        package b;
        import static a.Rules.*;
        class All {
          int k = LIMIT; // ref
        }
        === b/Dot.java
        package b;
        import a.Rules;
        class Dot {
          int k = Rules.LIMIT; // ref
          int l = a.Rules.LIMIT; // ref
        }
        === b/Lib.java
        package b;
        import static other.Rules.LIMIT;
        class Lib {
          int k = LIMIT;
        }
        """,
    )


def test_constants_are_found_in_switches_and_elements_in_annotations() -> None:
    holds(
        "RED",
        """
        === a/Colour.java
        package a;
        enum Colour {
          RED, // it
          BLUE
        }
        === a/Flag.java
        package a;
        enum Flag {
          RED
        }
        === a/User.java
        package a;
        class User {
          int m(Colour c, Flag f) {
            switch (c) {
              case RED: // ref
                return 1;
            }
            switch (f) {
              case RED:
                return 2;
            }
            return c == Colour.RED ? 1 : 2; // ref
          }
        }
        """,
    )
    holds(
        "level",
        """
        === a/Mark.java
        package a;
        @interface Mark {
          int level(); // it
        }
        === a/Other.java
        package a;
        @interface Other {
          int level();
        }
        === a/User.java
        package a;
        @Mark(level = 1) // ref
        @Other(level = 2)
        class User {
        }
        """,
    )


def test_what_is_private_or_of_a_package_is_not_looked_for_beyond() -> None:
    holds(
        "count",
        """
        === a/Box.java
        package a;
        public class Box {
          int count; // it
          void m(Other o) { o.b.count = count; } // ref
        }
        === a/Other.java
        package a;
        class Other {
          Box b;
          int k = b.count; // ref
        }
        === b/User.java
        package b;
        class User {
          int k(a.Box box) { return box.count; }
        }
        """,
    )
    holds(
        "seal",
        """
        === a/Box.java
        package a;
        class Box {
          private void seal() { } // it
          class Lid { void m() { seal(); } } // ref
        }
        === a/Big.java
        package a;
        class Big extends Box {
          void seal() { }
          void m() { seal(); }
          void n() { unknown().seal(); }
        }
        """,
    )


def test_what_a_library_gives_back_is_no_type_of_the_program() -> None:
    holds(
        "close",
        """
        === a/Door.java
        package a;
        import java.net.*;
        import org.lib.Maker;
        class Door {
          public void close() { } // it
          void m(Socket s, Maker<Door> made, Maker<String> plain, URL u) throws Exception {
            s.getChannel().socket().close();
            u.openConnection().getInputStream().close();
            made.make().close(); // maybe
            plain.make().close();
            plain.make(this).close(); // maybe
            System.out.close();
            Maker.LAST.close();
          }
        }
        """,
    )


def test_a_variable_of_an_earlier_case_is_seen_in_a_later_one() -> None:
    holds(
        "run",
        """
        === a/Job.java
        package a;
        class Job {
          void run(int n) { } // it
          void run(String s) { }
          void m(int k, Job one) {
            switch (k) {
              case 1:
                String name = "x";
                break;
              case 2:
                name = "y";
                one.run(name); // maybe
              default:
                one.run(k); // maybe
            }
          }
        }
        """,
    )


def test_overloads_that_cannot_be_called_from_here_are_left_out() -> None:
    holds(
        "same",
        """
        === a/Types.java
        package a;
        import org.lib.*;
        public class Types {
          public static boolean same(Type a, Type b) { // it
            return same((Sub) a, b); // maybe
          }
          private static boolean same(Sub a, Type b) { return true; }
        }
        === b/User.java
        package b;
        import a.Types;
        import org.lib.*;
        class User {
          boolean m(Sub one, Type two) {
            Types.same(two, one.given()); // ref
            return Types.same(one, two); // ref
          }
        }
        """,
    )


def test_lambdas_and_names_of_methods_decide_no_overload() -> None:
    holds(
        "apply",
        """
        === a/Rule.java
        package a;
        interface Rule<T> {
          boolean apply(T t); // it
          default Rule<T> not() { return t -> !apply(t); } // ref
          static <K> Rule<K> of(Rule<K> rule) { return rule; }
        }
        === a/Word.java
        package a;
        class Word {
          boolean apply(String s) { return true; }
          boolean fits(Rule<Word> rule) { return rule.apply(this); } // ref
        }
        === a/User.java
        package a;
        import java.util.*;
        import java.util.function.*;
        class User {
          boolean m(List<Rule<String>> rules, Word word, Supplier<Word> later) {
            rules.forEach(rule -> rule.apply("x")); // maybe
            rules.stream().map(rule -> rule.not()).anyMatch(r -> r.apply("y")); // maybe
            Function<String, Boolean> f = word::apply;
            Predicate<String> p = rules.get(0)::apply; // maybe
            later.get().apply("z"); // maybe
            Rule<Word> r = w -> w.apply("k"); // maybe
            Rule.of(r).apply(word); // ref
            Rule<String> own = new Rule<>() {
              public boolean apply(String s) { // ref
                return word.apply(s);
              }
            };
            return own.apply("a"); // ref
          }
        }
        """,
    )


def test_inner_classes_see_the_members_of_those_around_and_their_own_hide_them() -> None:
    holds(
        "next",
        """
        === a/Chain.java
        package a;
        class Chain<T extends Chain<T>> {
          T next() { return null; } // it
          class Link {
            Link after;
            void m() { next(); } // ref
            void k() { Chain.this.next().next(); } // ref
          }
          class Other {
            Other next() { return this; }
            void m() { next().next(); }
          }
          static class Long extends Chain<Long> {
            void m() { next().next(); } // ref
            void k() { super.next(); } // ref
          }
          void m(Link link, Other other, Long l) {
            other.next();
            l.next().k();  l.next().next(); // ref
            new Other().next();
            new Long().next(); // ref
          }
        }
        """,
    )


def test_generic_methods_and_fields_are_followed_through_what_a_class_extends() -> None:
    holds(
        "tag",
        """
        === a/Base.java
        package a;
        abstract class Base<K, V> {
          V value;
          abstract V make(K key);
          V[] row;
        }
        === a/Item.java
        package a;
        class Item {
          String tag; // it
        }
        === a/Twin.java
        package a;
        class Twin {
          String tag;
        }
        === a/Shelf.java
        package a;
        class Shelf extends Base<Twin, Item> {
          Item make(Twin key) { return null; }
          void m(Base<Item, Twin> other) {
            value.tag = other.value.tag; // ref
            other.value.tag = null;
            make(null).tag = null; // ref
            other.make(value).tag = null;
            row[0].tag = null; // ref
            other.row[0].tag = null;
          }
        }
        """,
    )


def test_a_full_name_is_told_from_a_field_that_may_be_inherited_from_a_library() -> None:
    holds(
        "suite",
        """
        === org/shop/All.java
        package org.shop;
        public class All {
          public static Object suite() { return null; } // it
        }
        === org/shop/more/All.java
        package org.shop.more;
        public class All {
          public static Object suite() { return null; }
        }
        === org/test/Tests.java
        package org.test;
        import junit.TestCase;
        public class Tests extends TestCase {
          Object a = org.shop.All.suite(); // ref
          Object b = org.shop.more.All.suite();
        }
        """,
    )


def test_a_method_that_a_library_declares_as_well_is_the_one_of_the_program() -> None:
    holds(
        "values",
        """
        === a/Get.java
        package a;
        import java.util.*;
        public interface Get<V> {
          Collection<V> values(); // it
        }
        === a/Table.java
        package a;
        import java.util.*;
        public interface Table<K, V> extends SortedMap<K, V>, Get<V> { }
        === a/User.java
        package a;
        class User {
          void m(Table<String, User> t, java.util.Map<String, User> m) {
            t.values(); // ref
            m.values();
          }
        }
        """,
    )
