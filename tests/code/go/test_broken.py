"""Files that are half typed: never an error, and what can be told still is."""

from __future__ import annotations

import re

from redline.code.go.resolver import GoResolver
from redline.code.syntax.definitions import parse, symbols_of
from redline.code.syntax.languages import language_of
from tests.code.go.samples import holds
from tests.code.marked import Sample, path_of

_WHOLE = """package a

import (
	"fmt"
	other "example.com/shop/b"
)

type Name[T any] struct {
	*other.Base
	name, more T
	f func(name T) (out Name[T], err error)
}

type I interface {
	name(n int) error
	fmt.Stringer
}

var name, rest = f(name), map[string]Name[int]{"name": {name: 1}}

func (n *Name[T]) name(name int) (x T) {
	switch name := name.(type) {
	case Name[int]:
		return name.name
	}
	for name, n := range name {
		name.name[0](n)
	}
	select {
	case name := <-name:
		name.name()
	}
	if name, ok := name.(*Name[int]); ok {
		const name = iota
		return name[1:2].(interface{ name() }).name
	}
name:
	goto name
}
"""


def test_a_file_cut_anywhere_never_raises() -> None:
    language = language_of("a.go")
    assert language is not None
    whole = "=== go.mod\nmodule example.com/shop\n=== a.go\n"
    for end in range(0, len(_WHOLE), 3):
        text = _WHOLE[:end]
        sample = Sample.of(whole)
        sample.files["a.go"] = text
        referring = GoResolver("name", sample.reading())
        targets = [
            referring.target(path_of("a.go"), symbol.offset)
            for symbol in symbols_of(parse(text, language))
            if symbol.name == "name"
        ]
        found = referring.in_file(path_of("a.go"), [t for t in targets if t is not None])
        assert found is not None
        assert {r.line for r in found} <= set(range(1, text.count("\n") + 2))


def test_words_dropped_from_a_file_never_raise() -> None:
    tokens = re.findall(r"\s+|\w+|[^\w\s]", _WHOLE)
    for nth in range(len(tokens)):
        text = "".join(tokens[:nth] + tokens[nth + 1 :])
        sample = Sample({"a.go": text})
        referring = GoResolver("name", sample.reading())
        spots = [found.start() for found in re.finditer(r"\bname\b", text)]
        for spot in spots[:6]:
            referring.target(path_of("a.go"), spot)
        assert referring.in_file(path_of("a.go"), []) == []


def test_a_broken_function_leaves_the_others_as_they_are() -> None:
    holds(
        "Price",
        """
        === a.go
        package a

        func Price() int { return 1 } // it

        func good() int { return Price() } // ref

        func broken( {
            x := Price( // ref
        """,
    )


def test_a_ring_of_declarations_ends() -> None:
    holds(
        "Name",
        """
        === a.go
        package a

        type Item struct{ Name string } // it

        type A = B

        type B = A

        type C struct{ D }

        type D struct{ C }

        var x = y

        var y = x

        func f(a A, c C) {
            _ = a.Name // maybe
            _ = c.Name
            _ = x.Name // maybe
        }
        """,
    )


def test_expressions_of_any_length_and_depth_are_read() -> None:
    chain = "".join(f".more({n})" for n in range(2000))
    total = " + ".join(["one"] * 5000)
    text = (
        "package a\n\ntype T struct{ name int }\n\nfunc (t T) more(n int) T { return t }\n\n"
        f"const one T = 1\n\nvar deep = T{{}}{chain}.name\n\nvar long = ({total}).name\n"
    )
    sample = Sample({"a.go": text})
    referring = GoResolver("name", sample.reading())
    target = referring.target(path_of("a.go"), text.index("name"))
    assert target is not None
    found = referring.in_file(path_of("a.go"), [target])
    assert found is not None
    assert [(r.line, r.certainty) for r in found] == [
        (3, "bound"),
        (9, "possible"),
        (11, "bound"),
    ]
