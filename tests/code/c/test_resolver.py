"""References in C that know what they refer to, over files kept in memory."""

from __future__ import annotations

import pytest

from redline.code.c.resolver import CResolver
from redline.code.references.file_access import SourceFiles
from redline.code.syntax.definitions import Parsed, parse, symbols_of
from redline.code.syntax.languages import language_of
from redline.core.paths import WorkspacePath


class Folder:
    """Some files by their paths."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.places: dict[str, int] = {}
        self.is_indexed = True

    def path(self, name: str) -> WorkspacePath:
        return WorkspacePath(0, tuple(name.split("/")))

    def parsed(self, path: WorkspacePath) -> Parsed | None:
        language = language_of(path.name)
        text = self.files.get(path.relative)
        return parse(text, language) if text is not None and language is not None else None

    def defining_as(self, name: str, kinds: frozenset[str]) -> list[WorkspacePath]:
        paths = [self.path(file) for file in self.files if self.is_indexed]
        known = {path: self.parsed(path) for path in paths}
        return [
            path
            for path, parsed in known.items()
            if parsed and any(s.name == name and s.kind in kinds for s in symbols_of(parsed))
        ]

    def referring(self, name: str) -> CResolver:
        """What finds references to *name* in these files."""
        files = SourceFiles(
            self.parsed,
            lambda path: path.relative in self.files,
            text=lambda path: self.files.get(path.relative),
            defining_as=self.defining_as,
        )
        return CResolver(name, files)

    def find(self, file: str, spelled: str) -> dict[str, list[str]]:
        """By file: the lines that refer to what is defined where *file* spells it with `@`."""
        before, marked, after = self.files[file].partition("@")
        if marked:
            self.files[file] = before + after
            self.places[file] = len(before)
        referring = self.referring(spelled)
        target = referring.target(self.path(file), self.places[file])
        assert target is not None
        answer: dict[str, list[str]] = {}
        for name in self.files:
            found = referring.in_file(self.path(name), [target])
            marks = [
                f"{reference.line}{'?' if reference.certainty == 'possible' else ''}"
                for reference in found or ()
            ]
            if marks:
                answer[name] = marks
        return answer


def test_a_function_is_one_with_its_prototypes_and_calls_in_all_files() -> None:
    folder = Folder(
        {
            "shop.h": "int price(int n);\n",
            "shop.c": '#include "shop.h"\n\nint @price(int n)\n{\n    return n;\n}\n',
            "till.c": '#include "shop.h"\nint sum(void) { return price(2); }\n',
            "own.c": "static int price(void) { return 1; }\nint f(void) { return price(); }\n",
            "local.c": "int g(int price) { int h = price; return price; }\n",
            "member.c": "struct s { int price; };\nint k(struct s *s) { return s->price; }\n",
        }
    )

    assert folder.find("shop.c", "price") == {"shop.h": ["1"], "shop.c": ["3"], "till.c": ["2"]}


def test_a_static_function_is_found_in_its_file_alone() -> None:
    text = (
        "static int @pick(int);\n"
        "static int pick(int n) { return n; }\n"
        "int a(void) { return pick(1); }\n"
    )
    folder = Folder({"a.c": text, "b.c": "int pick(int);\nint b(void) { return pick(1); }\n"})

    assert folder.find("a.c", "pick") == {"a.c": ["1", "2", "3"]}


def test_programs_that_define_the_same_function_call_their_own() -> None:
    files = {
        "one.c": "void usage(void) { }\nint main(void) { usage(); }\n",
        "two.c": "void usage(void) { }\nint run(void) { usage(); }\n",
        "more.c": "void usage(void);\nint k(void) { usage(); }\n",
    }
    one = Folder({**files, "one.c": files["one.c"].replace("usage", "@usage", 1)})
    more = Folder({**files, "more.c": files["more.c"].replace("usage", "@usage", 1)})

    both = {"one.c": ["1", "2"], "more.c": ["1", "2"]}
    assert one.find("one.c", "usage") == {**both, "two.c": ["1?", "2?"]}
    assert more.find("more.c", "usage") == {**both, "two.c": ["1", "2"]}


def test_a_local_variable_is_told_from_those_of_other_blocks_and_functions() -> None:
    folder = Folder(
        {
            "a.c": "int count;\n"
            "int f(void)\n"
            "{\n"
            "    int @count = 1;\n"
            "    { int count = 2; count++; }\n"
            "    for (int count = 0; count < 3; count++) ;\n"
            "    return count;\n"
            "}\n"
            "int g(void) { return count; }\n"
        }
    )

    assert folder.find("a.c", "count") == {"a.c": ["4", "7"]}


def test_a_variable_of_all_files_is_not_what_hides_it() -> None:
    folder = Folder(
        {
            "a.c": "int @count;\n"
            "int f(int count) { return count; }\n"
            "int g(void) { return count; }\n",
            "a.h": "extern int count;\n",
            "b.c": "int h(void) { extern int count; return count; }\n",
            "c.c": "static int count;\nint i(void) { return count; }\n",
        }
    )

    assert folder.find("a.c", "count") == {"a.c": ["1", "3"], "a.h": ["1"], "b.c": ["1"]}


def test_fields_are_told_apart_by_the_declared_types_of_what_has_them() -> None:
    folder = Folder(
        {
            "types.h": "typedef struct node node;\n"
            "struct node { node *next; int @size; };\n"
            "struct file { int size; node *first; };\n"
            "node *head(struct file *f);\n"
            "extern struct file files[4];\n",
            "use.c": '#include "types.h"\n'
            "int f(node *n, struct file *f, void *p)\n"
            "{\n"
            "    n->size = 1;\n"
            "    f->size = 1;\n"
            "    n->next->next->size = 2;\n"
            "    f->first->size = 3;\n"
            "    head(f)->size = 4;\n"
            "    files[2].first->size = 5;\n"
            "    files[2].size = 5;\n"
            "    ((node *)p)->size = 6;\n"
            "    (*n).size = 7;\n"
            "    unknown(p)->size = 8;\n"
            "    return size;\n"
            "}\n",
        }
    )

    assert folder.find("types.h", "size") == {
        "types.h": ["2"],
        "use.c": ["4", "6", "7", "8", "9", "11", "12", "13?"],
    }


def test_fields_of_nameless_structs_belong_to_the_struct_around() -> None:
    folder = Folder(
        {
            "a.c": "struct a {\n"
            "    union { int @left; char right; };\n"
            "    struct { int left; } inner;\n"
            "};\n"
            "int f(struct a *a) { return a->left; }\n"
            "int g(struct a *a) { return a->inner.left; }\n"
        }
    )

    assert folder.find("a.c", "left") == {"a.c": ["2", "5"]}


def test_designators_name_the_fields_of_what_is_made() -> None:
    folder = Folder(
        {
            "a.c": "struct point { int @x; };\n"
            "struct other { int x; struct point at; };\n"
            "struct point a = { .x = 1 };\n"
            "struct other b = { .x = 1, .at = {\n"
            "    .x = 2 } };\n"
            "struct point many[] = { {\n"
            "    .x = 3 } };\n"
            "void f(void) { g((struct point){ .x = 4 }); }\n"
            "struct other c = {\n"
            "    .at.x = 5 };\n"
            "int n = offsetof(struct point, x);\n"
        }
    )

    assert folder.find("a.c", "x") == {"a.c": ["1", "3", "5", "7", "8", "10", "11"]}


def test_tags_types_values_and_labels_of_one_name_are_apart() -> None:
    text = (
        "struct item { int n; };\n"
        "typedef struct item *item;\n"
        "int f(item i, struct item *j)\n"
        "{\n"
        "    goto item;\n"
        "item:\n"
        "    return i->n;\n"
        "}\n"
    )
    tag = Folder({"a.c": text.replace("struct item {", "struct @item {")})
    alias = Folder({"a.c": text.replace("*item;", "*@item;")})

    assert tag.find("a.c", "item") == {"a.c": ["1", "2", "3"]}
    assert alias.find("a.c", "item") == {"a.c": ["2", "3"]}


def test_a_tag_that_one_file_completes_means_the_same_everywhere() -> None:
    folder = Folder(
        {
            "a.h": "struct queue;\nstruct queue *make(void);\n",
            "a.c": '#include "a.h"\nstruct @queue { int n; };\n',
            "b.c": '#include "a.h"\nstruct queue *q;\n',
        }
    )

    assert folder.find("a.c", "queue") == {"a.h": ["1", "2"], "a.c": ["2"], "b.c": ["2"]}


def test_macros_are_found_in_code_conditions_and_other_macros() -> None:
    folder = Folder(
        {
            "a.h": "#ifndef LIMIT\n"
            "#define @LIMIT 10\n"
            "#endif\n"
            "#define TWICE (2 * LIMIT) /* LIMIT */\n",
            "a.c": '#include "a.h"\n'
            "#if LIMIT > 3\n"
            "int n = LIMIT;\n"
            "#endif\n"
            "int m(int LIMIT) { return LIMIT; }\n",
            "b.c": "#define LIMIT 3\nint n = LIMIT;\n",
        }
    )

    assert folder.find("a.h", "LIMIT") == {"a.h": ["1?", "2", "4"], "a.c": ["2", "3"]}


def test_a_function_in_a_macro_is_possible_and_a_parameter_of_the_macro_is_none() -> None:
    folder = Folder(
        {
            "a.h": "void @note(int);\n"
            "#define SAY(x) note(x)\n"
            "#define QUIET(note) (note)\n"
            '#define TEXT "note"\n'
        }
    )

    assert folder.find("a.h", "note") == {"a.h": ["1", "2?"]}


def test_constants_are_those_of_the_header_that_is_included() -> None:
    folder = Folder(
        {
            "one/color.h": "enum color { @RED, GREEN };\n",
            "two/color.h": "enum paint { RED };\n",
            "one/a.c": '#include "color.h"\nint n = RED;\n',
            "two/b.c": '#include "color.h"\nint n = RED;\n',
            "c.c": "int n = RED;\n",
        }
    )

    assert folder.find("one/color.h", "RED") == {
        "one/color.h": ["1"],
        "one/a.c": ["2"],
        "c.c": ["1?"],
    }


def test_a_struct_of_the_same_tag_in_another_file_keeps_its_fields() -> None:
    folder = Folder(
        {
            "a.c": "struct state { int @depth; };\nint f(struct state *s) { return s->depth; }\n",
            "b.c": "struct state { int depth; };\nint g(struct state *s) { return s->depth; }\n",
        }
    )

    assert folder.find("a.c", "depth") == {"a.c": ["1", "2"]}


def test_a_field_that_is_given_to_a_macro_is_that_of_the_value_beside_it() -> None:
    folder = Folder(
        {
            "a.c": "struct item { LIST_ENTRY(item) @link; };\n"
            "struct pair { LIST_ENTRY(pair) link; };\n"
            "typedef struct item item_t;\n"
            "void f(struct item *i, struct pair *p, void *v)\n"
            "{\n"
            "    LIST_REMOVE(i, link);\n"
            "    LIST_REMOVE(p, link);\n"
            "    LIST_REMOVE(v, link);\n"
            "    BOTH(i, p, link);\n"
            "    CONTAINER_OF(v, item_t, link);\n"
            "    CONTAINER_OF(v, struct item, link);\n"
            "}\n",
            "b.c": "int link;\n",
        }
    )

    assert folder.find("a.c", "link") == {"a.c": ["1", "6", "8?", "9?", "10", "11"]}
    item = Folder({"a.c": folder.files["a.c"].replace("struct item {", "struct @item {")})
    assert item.find("a.c", "item") == {"a.c": ["1", "3", "4", "11"]}


def test_a_cast_that_a_macro_begins_with_says_the_type() -> None:
    folder = Folder(
        {
            "a.c": "struct base { int @kind; };\n"
            "struct other { int kind; };\n"
            "#define BASE(x) ((struct base *)(x))\n"
            "int f(void *p) { return BASE(p)->kind; }\n"
        }
    )

    assert folder.find("a.c", "kind") == {"a.c": ["1", "4"]}


def test_cpp_goes_by_name() -> None:
    folder = Folder({"a.h": "int @f(void);\n", "b.cpp": "int g() { return f(); }\n"})

    assert folder.find("a.h", "f") == {"a.h": ["1"]}


def test_capitals_that_a_header_makes_a_macro_declare_nothing() -> None:
    folder = Folder(
        {
            "a.h": "#define @CALLBACK(name) (*name)\n",
            "b.h": "typedef int CALLBACK(f)(int);\nstruct s { int CALLBACK(g)(int); };\n",
        }
    )

    assert folder.find("a.h", "CALLBACK") == {"a.h": ["1"], "b.h": ["1", "2"]}


def test_a_header_beside_or_above_is_meant_before_its_namesakes() -> None:
    folder = Folder(
        {
            "src/common.h": "int n;\n",
            "src/limits.h": "#define @LIMIT 1\n",
            "examples/common.h": "#define LIMIT 2\n",
            "src/net/a.c": '#include "common.h"\nint n = LIMIT;\n',
            "examples/b.c": '#include "common.h"\nint n = LIMIT;\n',
        }
    )

    assert folder.find("src/limits.h", "LIMIT") == {"src/limits.h": ["1"], "src/net/a.c": ["2"]}


def test_a_macro_that_is_included_by_name_stands_before_a_function() -> None:
    folder = Folder(
        {
            "src/text.h": "int @append(int);\n",
            "deps/compat.h": "#define append other_append\n",
            "src/a.c": '#include "text.h"\n'
            "#include <compat.h>\n"
            "int n(void) { return append(1); }\n",
            "src/b.c": '#include "text.h"\nint n(void) { return append(1); }\n',
        }
    )

    assert folder.find("src/text.h", "append")["src/b.c"] == ["2"]
    assert "src/a.c" not in folder.find("src/text.h", "append")


def test_a_struct_within_a_function_is_its_own() -> None:
    folder = Folder(
        {
            "a.c": "void f(void) { struct @item { int n; }; struct item i; i.n = 1; }\n"
            "void g(struct item *i) { struct item *j = i; }\n",
            "b.h": "struct item { int n; };\n",
        }
    )

    assert folder.find("a.c", "item") == {"a.c": ["1"]}


def test_what_a_broken_function_declares_is_not_the_files() -> None:
    folder = Folder(
        {
            "a.c": "void ?? f(int a ...)\n{\n\tint @count;\n\tcount = 1;\n",
            "b.c": "int count;\nint g(void) { return count; }\n",
        }
    )
    before = folder.files["a.c"].index("@")
    folder.files["a.c"] = folder.files["a.c"].replace("@", "")

    referring = folder.referring("count")
    target = referring.target(folder.path("a.c"), before)

    assert target is None or not referring.in_file(folder.path("b.c"), [target])


def test_static_things_are_found_in_what_includes_their_file() -> None:
    folder = Folder(
        {
            "poll_a.c": "static int @wait(void) { return 1; }\n",
            "poll_b.c": "static int wait(void) { return 2; }\n",
            "loop.c": '#include "poll_a.c"\nint f(void) { return wait(); }\n',
            "far.c": "int wait(void);\nint f(void) { return wait(); }\n",
        }
    )

    assert folder.find("poll_a.c", "wait") == {"poll_a.c": ["1"], "loop.c": ["2"]}


def test_conditions_that_cut_a_function_leave_the_rest_as_it_is() -> None:
    folder = Folder(
        {
            "a.c": "int @total;\n"
            "#ifdef A\nint f(int n) {\n#else\nint f(void) {\n#endif\n"
            "    return total;\n}\n\n"
            "#if B\nint g(int total) { return total; }\n#endif\n"
            "int h(void) { return total; }\n"
        }
    )

    assert folder.find("a.c", "total") == {"a.c": ["1", "7", "13"]}


def test_files_that_the_index_does_not_know_yet_are_told_apart_too() -> None:
    folder = Folder(
        {
            "shop.c": "int @price(int n) { return n; }\n",
            "till.c": "int price(int);\nint f(void) { return price(2); }\n",
            "own.c": "static int price(void) { return 1; }\nint f(void) { return price(); }\n",
        }
    )
    folder.is_indexed = False

    assert folder.find("shop.c", "price") == {"shop.c": ["1"], "till.c": ["1", "2"]}


@pytest.mark.parametrize("cut", range(0, 160, 7))
def test_a_half_typed_file_never_fails(cut: int) -> None:
    whole = (
        "struct node { struct node *next; int size; };\n"
        "static int f(struct node *n) { if (n) { return n->next->size; } goto size; size: ; }\n"
        "struct node a = { .size = 1 };\n#define G(x) ((struct node *)x)->size\n"
    )
    folder = Folder({"a.c": "int @size;\n", "b.c": whole[:cut] + whole[cut + 3 :]})

    assert folder.find("a.c", "size")["a.c"] == ["1"]
