"""References to Go's functions, types, variables and constants: blocks, packages, imports."""

from __future__ import annotations

from tests.code.go.samples import holds


def test_a_function_is_found_in_its_package_and_through_imports_and_its_namesakes_are_not() -> None:
    holds(
        "Price",
        """
        === price/price.go
        package price

        func Price(n int) int { return n } // it

        func total() int { return Price(1) } // ref
        === price/more.go
        package price

        var first = Price(2) // ref

        func local() int {
            Price := func(n int) int { return n }
            return Price(3)
        }
        === price/price_test.go
        package price_test

        import "example.com/shop/price"

        var tested = price.Price(1) // ref
        === main.go
        package main

        import (
            "example.com/shop/other"
            cost "example.com/shop/price"
        )

        func main() {
            cost.Price(1) // ref
            other.Price(1)
        }
        === other/other.go
        package other

        func Price(n int) int { return n }

        func again() int { return Price(1) }
        === elsewhere/elsewhere.go
        package elsewhere

        import "example.org/price"

        var one = price.Price(1)
        """,
    )


def test_what_begins_with_a_small_letter_is_seen_in_its_folder_only() -> None:
    holds(
        "price",
        """
        === a/a.go
        package a

        var price = 1 // it

        func use() int { return price } // ref
        === a/b.go
        package a

        func more(price int) int { return price }

        func again() int { return price } // ref
        === b/b.go
        package b

        func use() int { return price }
        """,
    )


def test_a_name_begins_after_its_declaration() -> None:
    holds(
        "limit",
        """
        === a.go
        package a

        const limit = 3 // it

        func f() int {
            limit := limit + 1 // ref
            if limit := g(limit); limit > 2 {
                return limit
            }
            return limit
        }

        func g(n int) int {
            for limit := 0; limit < n; limit++ {
                n += limit
            }
            return n + limit // ref
        }

        func h() int {
            n := limit // ref
            limit, m := 1, 2
            return limit + n + m
        }
        """,
    )


def test_headers_cases_and_literals_have_scopes_of_their_own() -> None:
    holds(
        "item",
        """
        === a.go
        package a

        var item = 1 // it

        func f(items []int, ch chan int, v any) {
            for _, item := range items {
                _ = item
            }
            _ = item // ref
            switch item := v.(type) {
            case int:
                _ = item
            }
            switch item := 2; item {
            case 2:
            }
            select {
            case item := <-ch:
                _ = item
            default:
                _ = item // ref
            }
            g := func(item int) int { return item }
            _ = g(item) // ref
            go func() { _ = item }() // ref
        item:
            for {
                break item
            }
        }

        func (item T) m() int { return item.n }

        func named() (item int) { item = 2; return }

        type T struct{ n int }
        """,
    )


def test_parameters_of_mere_types_of_functions_are_names_of_their_own() -> None:
    holds(
        "values",
        """
        === a.go
        package a

        var values = []string{} // it

        type T struct {
            check func(values []string) error
        }

        type I interface {
            Check(values []string) error
        }

        func f(g func(values []string) (err error)) { _ = values } // ref

        func bodiless(values []string)
        """,
    )


def test_a_type_is_found_wherever_types_stand() -> None:
    holds(
        "Item",
        """
        === shop/item.go
        package shop

        type Item struct { // it
            next *Item // ref
            byID map[string][]Item // ref
        }

        func (i *Item) Next() *Item { return i.next } // ref

        func New() Item { return Item{} } // ref

        type List[T any] struct{ all []T }

        type Items = List[Item] // ref
        === main.go
        package main

        import "example.com/shop/shop"

        type wrapped struct {
            *shop.Item // ref
        }

        func f(v any) {
            if item, ok := v.(*shop.Item); ok { // ref
                _ = item
            }
            _ = wrapped{Item: nil}.Item
            _ = make([]shop.Item, 3) // ref
        }

        func g[Item any](i Item) Item { return i }
        """,
    )


def test_one_name_declared_for_several_systems_is_one() -> None:
    holds(
        "open",
        """
        === open_linux.go
        package a

        func open() {} // it
        === open_windows.go
        package a

        func open() {} // ref
        === use.go
        package a

        func use() { open() } // ref
        """,
    )


def test_every_init_is_alone() -> None:
    holds(
        "init",
        """
        === a.go
        package a

        func init() {} // it

        func init() {}
        === b.go
        package a

        func init() {}
        """,
    )


def test_a_package_in_a_folder_of_another_name_and_one_that_is_vendored_are_found() -> None:
    holds(
        "Parse",
        """
        === go-yaml/yaml.go
        package yaml

        func Parse() {} // it
        === main.go
        package main

        import "example.com/shop/go-yaml"

        func main() { yaml.Parse() } // ref
        === vendor/example.org/yaml/yaml.go
        package yaml

        func Parse() {}
        === other/main.go
        package main

        import "example.org/yaml"

        func main() { yaml.Parse() }
        """,
    )
    holds(
        "Parse",
        """
        === vendor/example.org/yaml/yaml.go
        package yaml

        func Parse() {} // it
        === other/main.go
        package main

        import "example.org/yaml"

        func main() { yaml.Parse() } // ref
        """,
    )


def test_what_a_dot_import_brings_is_the_package_s() -> None:
    holds(
        "Parse",
        """
        === parse/parse.go
        package parse

        func Parse() {} // it
        === main.go
        package main

        import . "example.com/shop/parse"

        func main() { Parse() } // ref

        func own() {
            Parse := 1
            _ = Parse
        }
        === other/other.go
        package other

        import . "example.com/shop/parse"

        func Parse() {}
        === further/further.go
        package further

        import . "example.com/shop/nothing"

        func main() { Parse() }
        === library/library.go
        package library

        import . "example.org/parse"

        func main() { Parse() } // maybe
        """,
    )


def test_members_of_a_type_that_a_dot_import_brings_are_the_package_s() -> None:
    holds(
        "Total",
        """
        === parse/parse.go
        package parse

        type Shop struct{}

        func (s Shop) Total() int { return 1 } // it
        func Open() Shop { return Shop{} }
        === main.go
        package main

        import . "example.com/shop/parse"

        func main() {
            var shop Shop
            shop.Total() // ref
            Open().Total() // ref
        }
        """,
    )


def test_another_module_of_the_workspace_is_known_by_its_own_manifest() -> None:
    holds(
        "Parse",
        """
        === tools/go.mod
        module example.com/tools
        === tools/parse/parse.go
        package parse

        func Parse() {} // it
        === main.go
        package main

        import "example.com/tools/parse"

        func main() { parse.Parse() } // ref
        === wrong.go
        package main

        import "example.com/shop/tools/parse"

        func other() { parse.Parse() }
        """,
    )
