"""What the grammar of TypeScript cannot read is replaced before it is parsed."""

from __future__ import annotations

import pytest

from redline.code.syntax.definitions import parse
from redline.code.syntax.errors import syntax_issues
from redline.code.syntax.languages import language_of


def _errors(text: str, name: str = "a.ts") -> int:
    language = language_of(name)
    assert language is not None
    parsed = parse(text, language)
    assert parsed.text == text
    leaves = parsed.root.find_all(kind="identifier")
    assert all(text.startswith(leaf.text(), leaf.range().start.index) for leaf in leaves)
    return len(syntax_issues(parsed))


@pytest.mark.parametrize(
    "text",
    [
        "interface A<in out T, out U = T> { a: T }",
        "class A<in T extends B> {}",
        "type A<\n  out T,\n  in out U extends T,\n> = T;",
        "function f() {\n  using a = g();\n  await using b = g();\n}",
        "for (using a of b()) {\n  a.c();\n}",
        "for await (using a of b()) {\n  a.c();\n}",
        "export type * from './a';\nexport type * as b from './b';",
        "interface A {\n  (a: B): C\n  <D>(a: D): C\n\n  // more\n  <E>(\n    a: E\n  ): C[]\n}",
        "type A = {\n  a: B\n  /** more */ <D>(a: D): C<D>\n  (): void\n  new <D>(): D\n}",
        "const a: {\n\t(b: B): C\n\t<D>(b: D): C\n} = f\n  (() => {\n    g\n    (h)\n  });",
        "type A = B<`a \\`${C}\\` d`>;",
        "const a = sql<{ b: C }>`select ${d}`.e();",
    ],
)
def test_what_the_grammar_does_not_know_is_read(text: str) -> None:
    assert _errors(text) == 0


@pytest.mark.parametrize(
    "text",
    [
        "type A<out> = out; type B<out extends C> = out;",
        "const using = 1;\nusing = 2;\nfor (const using of a) {}",
        "const a = `<in out T>, in b = `;",
        "// export type * from\nconst a = 'export type *';",
        "const a = b\n  (c)\n  [d];",
    ],
)
def test_words_that_are_names_or_text_stay(text: str) -> None:
    language = language_of("a.ts")
    assert language is not None
    assert parse(text, language).root.text() == text


def test_a_comment_beside_what_is_replaced_keeps_its_words() -> None:
    text = "// of <in out T>, in b = c\ninterface A<in out T> {}"
    language = language_of("a.ts")
    assert language is not None
    comment = parse(text, language).root.find(kind="comment")
    assert comment is not None
    assert comment.text() == "// of <in out T>, in b = c"
