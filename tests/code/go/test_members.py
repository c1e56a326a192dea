"""References to Go's fields and methods: by the types that declarations say."""

from __future__ import annotations

from tests.code.go.samples import holds


def test_a_field_is_bound_where_the_grammar_takes_indexes_for_type_arguments() -> None:
    holds(
        "rows",
        """
        === a.go
        package a

        type Table struct {
            rows [][]int // it
        }

        var table Table

        func f(t *Table, at []int, i int) int {
            t.rows[at[i]][i]++ // ref
            (t.rows[i])[at[i]] = 1 // ref
            return table.rows[i][at[i]] // ref
        }
        """,
    )


def test_a_variable_is_bound_where_the_grammar_takes_it_for_a_package() -> None:
    holds(
        "t",
        """
        === a.go
        package a

        type Table struct {
            rows [][]int
        }

        func f(
            t *Table, // it
            at []int,
            i int,
        ) int {
            return t.rows[i][at[i]] // ref
        }
        """,
    )


def test_a_field_is_bound_where_the_type_of_the_value_is_declared() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct {
            Name string // it
        }

        type Other struct {
            Name string
        }

        func f(i *Item, o Other, items []Item, by map[string]*Item) {
            _ = i.Name // ref
            _ = o.Name
            _ = items[0].Name // ref
            _ = by["a"].Name // ref
            for _, each := range items {
                _ = each.Name // ref
            }
            for _, each := range by {
                each.Name = "x" // ref
            }
            one := Item{Name: "a"} // ref
            two := &one
            two.Name = one.Name // ref
            (*two).Name = "" // ref
            _ = Other{Name: "b"}
            x := new(Item)
            _ = x.Name // ref
            _ = get().Name // ref
            y, err := find()
            _ = y.Name // ref
            _ = err
        }

        func get() Item { return Item{} }

        func find() (*Item, error) { return nil, nil }
        """,
    )


def test_keys_of_literals_belong_to_the_type_between_the_braces() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct {
            Name string // it
        }

        const Key = "k"

        var table = []struct {
            item Item
            Name string
        }{
            {item: Item{Name: "a"}}, // ref
            {Name: "b"},
        }

        var all = map[string][]*Item{
            "a": {{Name: "x"}}, // ref
        }

        var pair = [2]Item{1: {Name: "y"}} // ref

        func f() {
            for _, row := range table {
                _ = row.Name
                _ = row.item.Name // ref
            }
        }
        """,
    )


def test_a_key_of_a_map_is_a_plain_name() -> None:
    holds(
        "Key",
        """
        === a.go
        package a

        const Key = "k" // it

        type T struct{ Key string }

        var m = map[string]int{Key: 1} // ref

        var t = T{Key: "x"}

        var u = T{Key: Key} // ref
        """,
    )


def test_a_method_is_told_from_those_of_other_types() -> None:
    holds(
        "Close",
        """
        === file/file.go
        package file

        type File struct{}

        func (f *File) Close() error { return nil } // it

        func Open() (*File, error) { return &File{}, nil }
        === conn/conn.go
        package conn

        type Conn struct{}

        func (c Conn) Close() error { return nil }

        func (c Conn) all() { c.Close() }
        === main.go
        package main

        import (
            "os"

            "example.com/shop/conn"
            "example.com/shop/file"
        )

        type holder struct {
            file *file.File
            conn conn.Conn
        }

        func (h *holder) done() {
            h.file.Close() // ref
            h.conn.Close()
        }

        func main() {
            f, err := file.Open()
            if err != nil {
                return
            }
            defer f.Close() // ref
            close := f.Close // ref
            close()
            real, _ := os.Open("x")
            real.Close()
            (*file.File).Close(f) // ref
        }
        """,
    )


def test_what_is_embedded_lends_its_members_unless_they_are_hidden() -> None:
    holds(
        "Run",
        """
        === a.go
        package a

        type Base struct{}

        func (b *Base) Run() {} // it

        type Plain struct{ *Base }

        type Deep struct{ Plain }

        type Hiding struct{ Base }

        func (h Hiding) Run() { h.Base.Run() } // ref

        func f(p Plain, d Deep, h Hiding) {
            p.Run() // ref
            d.Run() // ref
            h.Run()
        }
        """,
    )


def test_a_method_of_an_interface_and_those_that_satisfy_it_answer_for_each_other() -> None:
    project = """
        === a.go
        package a

        type Runner interface {
            Run(n int) error%s
            Stop()
        }

        type Good struct{}

        func (g *Good) Run(n int) error { return nil }%s

        func (g *Good) Stop() {}

        type Half struct{}

        func (h Half) Run(n int) error { return nil }

        type Unlike struct{}

        func (u Unlike) Run(n string) error { return nil }

        func (u Unlike) Stop() {}

        func f(r Runner, g *Good, h Half, u Unlike) {
            r.Run(1) // ref
            g.Run(1) // ref
            h.Run(1)
            u.Run("")
        }
        """
    holds("Run", project % (" // it", ""))
    holds("Run", project % ("", " // it"))


def test_types_that_satisfy_the_same_interface_do_not_answer_for_each_other() -> None:
    holds(
        "Run",
        """
        === a.go
        package a

        type Runner interface{ Run() }

        type One struct{}

        func (o One) Run() {} // it

        type Two struct{}

        func (t Two) Run() {}

        func f(o One, t Two, r Runner) {
            o.Run() // ref
            t.Run()
            r.Run() // ref
        }
        """,
    )


def test_assertions_and_type_switches_say_what_a_value_is() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct{ Name string } // it

        type Other struct{ Name string }

        func f(v any) {
            if i, ok := v.(*Item); ok {
                _ = i.Name // ref
            }
            switch t := v.(type) {
            case Item:
                _ = t.Name // ref
            case Other:
                _ = t.Name
            }
            _ = v.(interface{ Name() string }).Name()
            _ = Item(v.(Other)).Name // ref
        }
        """,
    )


def test_generic_types_and_functions_pass_their_arguments_on() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct{ Name string } // it

        type Other struct{ Name string }

        type List[T any] struct{ all []T }

        func (l *List[E]) First() E { return l.all[0] }

        func Map[A, B any](in []A, f func(A) B) []B { return nil }

        func Same[T any](v T) T { return v }

        func f(l List[*Item], o *List[Other], items []Item) {
            _ = l.First().Name // ref
            _ = l.all[1].Name // ref
            _ = o.First().Name
            _ = Same(items[0]).Name // ref
            _ = Map(items, func(i Item) Other { return Other{} })[0].Name
            _ = Map(items, func(i Item) Item { return i })[0].Name // ref
            _ = Same[Item](items[0]).Name // ref
        }

        type Named interface{ *Item }
        """,
    )


def test_what_a_library_defines_is_nothing_and_what_cannot_be_told_is_possible() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct{ Name string } // it
        === b.go
        package a

        import (
            "net/http"
            "os"
        )

        func f(r *http.Request, items []Item) {
            info, _ := os.Stat("x")
            _ = info.Name()
            _ = http.Cookie{Name: "x"}
            c, _ := r.Cookie("a")
            _ = c.Name
            _ = lost(items).Name // maybe
        }
        """,
    )


def test_a_librarys_interface_counts_in_the_package_of_a_method_that_satisfies_it() -> None:
    holds(
        "Write",
        """
        === a/a.go
        package a

        import (
            "bytes"
            "io"
        )

        type Sink struct{}

        func (s *Sink) Write(p []byte) (int, error) { return 0, nil } // it

        type wrapped struct{ io.Writer }

        func f(w io.Writer, s *Sink, b *bytes.Buffer, c io.WriteCloser, v wrapped) {
            w.Write(nil) // ref
            s.Write(nil) // ref
            b.Write(nil)
            c.Write(nil)
            v.Write(nil) // ref
        }

        === b/b.go
        package b

        import "io"

        func f(w io.Writer, c io.WriteCloser) {
            w.Write(nil) // maybe
            c.Write(nil)
        }
        """,
    )


def test_an_error_is_a_namesake_outside_the_package_that_makes_it() -> None:
    holds(
        "Error",
        """
        === a/a.go
        package a

        type Broken struct{}

        func (b Broken) Error() string { return "" } // it

        func f(err error) string { return err.Error() } // ref
        === b/b.go
        package b

        import "example.com/shop/a"

        func f(err error, b a.Broken) string {
            return err.Error()
        }

        func g(b a.Broken) string { return b.Error() } // ref
        """,
    )


def test_an_interface_that_embeds_a_librarys_asks_for_its_methods_too() -> None:
    holds(
        "Status",
        """
        === a.go
        package a

        import "net/http"

        type Writer interface {
            http.ResponseWriter
            Status() int
        }

        type good struct{ http.ResponseWriter }

        func (g *good) Status() int { return 1 } // it

        type bad struct{}

        func (b *bad) Status() int { return 1 }

        func f(w Writer) { w.Status() } // ref
        """,
    )


def test_constants_of_a_typed_list_have_its_methods() -> None:
    holds(
        "String",
        """
        === a.go
        package a

        type Kind int

        func (k Kind) String() string { return "" } // it

        type Other int

        func (o Other) String() string { return "" }

        const (
            First Kind = iota
            Second
            Third
        )

        const Else Other = 1

        func f() {
            _ = Third.String() // ref
            _ = Else.String()
            k := First
            _ = k.String() // ref
            _ = (First + Second).String() // ref
            _ = Kind(3).String() // ref
        }
        """,
    )


def test_channels_functions_and_closures_carry_types() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct{ Name string } // it

        type Maker func() *Item

        type holder struct {
            make Maker
            ch   chan Item
        }

        func f(h holder, many ...Item) {
            _ = h.make().Name // ref
            _ = (<-h.ch).Name // ref
            for i := range h.ch {
                _ = i.Name // ref
            }
            g := func(n int) (Item, error) { return Item{}, nil }
            i, _ := g(1)
            _ = i.Name // ref
            _ = many[0].Name // ref
            all := append([]Item{}, many...)
            _ = all[1:][0].Name // ref
            for _, i := range all {
                i := i
                func() { _ = i.Name }() // ref
            }
            select {
            case i, ok := <-h.ch:
                _, _ = i.Name, ok // ref
            }
        }
        """,
    )


def test_a_use_may_be_asked_for_even_of_a_librarys_interface() -> None:
    holds(
        "Write",
        """
        === a/a.go
        package a

        import "io"

        type Sink struct{}

        func (s *Sink) Write(p []byte) (int, error) { return 0, nil }

        func f(w io.Writer) {
            w.Write(nil) // it
        }
        === b/b.go
        package b

        import "io"

        func f(w io.Writer, c io.Closer) {
            w.Write(nil) // ref
            c.Close()
        }
        """,
    )
