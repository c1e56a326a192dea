"""References to Java's types: packages, imports, nested types, namesakes."""

from __future__ import annotations

from tests.code.java.samples import holds


def test_a_class_is_found_through_its_package_and_imports_and_its_namesakes_are_not() -> None:
    holds(
        "Price",
        """
        === shop/Price.java
        package shop;
        public class Price { // it
          Price copy; // ref
        }
        === shop/Cart.java
        package shop;
        class Cart {
          Price total() { // ref
            return null;
          }
        }
        === desk/Clerk.java
        package desk;
        import shop.Price; // ref
        class Clerk {
          Price p; // ref
        }
        === desk/All.java
        package desk;
        import shop.*;
        class All extends Price { // ref
        }
        === desk/Full.java
        package desk;
        class Full {
          shop.Price p; // ref
        }
        === desk/Lib.java
        package desk;
        import other.Price;
        class Lib {
          Price p;
        }
        === bank/Price.java
        package bank;
        class Price {
          Price p;
        }
        === bank/Desk.java
        package bank;
        import shop.*;
        class Desk {
          Price p;
        }
        """,
    )


def test_what_a_name_of_a_type_means_is_told_by_the_types_around_it() -> None:
    holds(
        "Node",
        """
        === a/Tree.java
        package a;
        class Tree {
          static class Node { // it
          }
          Node root; // ref
        }
        === a/Oak.java
        package a;
        class Oak extends Tree {
          Node leaf; // ref
        }
        === a/User.java
        package a;
        class User {
          Tree.Node n; // ref
          Object o = new Tree.Node(); // ref
          <Node> void m(Node n) {
          }
          void k() {
            class Node { }
            Node n;
          }
        }
        === a/Named.java
        package a;
        import a.Tree.Node; // ref
        class Named {
          Node n; // ref
        }
        === a/Node.java
        package a;
        class Node {
          Node next;
        }
        """,
    )


def test_annotations_casts_throws_and_type_arguments_name_types() -> None:
    holds(
        "Mark",
        """
        === a/Mark.java
        package a;
        @interface Mark { // it
          int value() default 0;
        }
        === a/User.java
        package a;
        import java.util.*;
        @Mark(1) // ref
        class User {
          List<Mark> all; // ref
          Object o = (Mark) null; // ref
          Class<?> c = Mark.class; // ref
          boolean b = o instanceof Mark; // ref
          String s = "Mark"; // no Mark
        }
        """,
    )


def test_a_constructor_is_told_from_its_class_and_by_the_number_of_arguments() -> None:
    holds(
        "Box",
        """
        === a/Box.java
        package a;
        class Box {
          Box(int size) { // it
          }
          Box(String name) {
            this(1); // maybe
          }
          Box() {
            this("x"); // maybe
          }
        }
        === a/User.java
        package a;
        import java.util.function.*;
        class User extends Box {
          User() {
            super(3); // maybe
          }
          Box b = new Box(3); // maybe
          Box c = new Box("n"); // maybe
          Box d = new Box();
          Box e = new Box(4) { // maybe
          };
          IntFunction<Box> f = Box::new; // maybe
        }
        """,
    )


def test_the_constants_of_an_enum_call_its_constructor() -> None:
    holds(
        "Day",
        """
        === a/Day.java
        package a;
        enum Day {
          MONDAY(1), // ref
          SUNDAY;
          Day(int n) { // it
          }
          Day() {
          }
        }
        """,
    )
