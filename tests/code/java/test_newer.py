"""References in newer Java: records, patterns, switch expressions, local types."""

from __future__ import annotations

from tests.code.java.samples import holds


def test_parts_of_records_are_fields_and_methods() -> None:
    holds(
        "size",
        """
        === a/Box.java
        package a;
        public record Box(int size, String name) { // it
          Box {
            if (size < 0) throw new IllegalArgumentException();
          }
          int twice() { return 2 * size; } // ref
          int more() { return this.size + size(); } // ref
        }
        === a/Bag.java
        package a;
        record Bag(int size) { }
        === b/User.java
        package b;
        import a.*;
        class User {
          int m(Box box, java.util.List<Box> all) {
            all.stream().mapToInt(Box::size).sum(); // ref
            return box.size(); // ref
          }
        }
        """,
    )


def test_patterns_and_switch_expressions_name_types_and_variables() -> None:
    holds(
        "area",
        """
        === a/Shape.java
        package a;
        sealed interface Shape permits Disc, Tile { }
        === a/Disc.java
        package a;
        final class Disc implements Shape {
          double area() { return 1; } // it
        }
        === a/Tile.java
        package a;
        final class Tile implements Shape {
          double area() { return 2; }
        }
        === a/User.java
        package a;
        class User {
          double m(Shape s, int k) {
            if (s instanceof Disc d) return d.area(); // ref
            if (!(s instanceof Tile t)) return 0;
            double x = t.area();
            return switch (s) {
              case Disc d -> d.area(); // ref
              case Tile d -> d.area();
            };
          }
        }
        """,
    )


def test_a_local_type_hides_its_namesake_only_in_its_block() -> None:
    holds(
        "Row",
        """
        === a/Row.java
        package a;
        public class Row { // it
          static int all;
        }
        === a/User.java
        package a;
        class User {
          void m() {
            record Row(int n) { }
            var r = new Row(1);
            Row other = r;
          }
          Row k() { // ref
            return new Row(); // ref
          }
          int l = Row.all; // ref
        }
        """,
    )


def test_what_opens_and_closes_and_what_a_loop_declares_is_typed() -> None:
    holds(
        "read",
        """
        === a/Source.java
        package a;
        public class Source implements AutoCloseable {
          public int read() { return 0; } // it
          public void close() { }
        }
        === a/User.java
        package a;
        import java.io.*;
        class User {
          void m(Source[] all, InputStream in) throws Exception {
            try (Source s = new Source(); var t = all[0]; InputStream i = in) {
              s.read(); t.read(); // ref
              i.read();
            } catch (IOException e) {
              e.read();
            }
            for (int n = 0, s = 1; n < all.length; n++) all[n].read(); // ref
            for (final Source s : all) { s.read(); } // ref
            in.read();
            (all.length > 1 ? all[0] : new Source()).read(); // ref
            ((Source) (Object) in).read(); // ref
          }
        }
        """,
    )
