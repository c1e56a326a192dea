"""The languages that Redline parses, and the language of a file by its name."""

from __future__ import annotations

from redline.code.syntax import language_rules as rules
from redline.code.syntax.language_rules import Rules
from redline.core.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its grammar, file names, rules for definitions, and kinds of word nodes."""

    name: str
    grammar: str
    extensions: tuple[str, ...]
    rules: Rules = field(default_factory=dict)
    words: tuple[str, ...] = ("identifier",)
    filenames: tuple[str, ...] = ()
    # Node kinds that wrap a definition and belong to it: decorators, export, template<>.
    wrappers: frozenset[str] = frozenset()
    # Node kinds that precede a definition and belong to it: attributes.
    prefixes: frozenset[str] = frozenset()
    comment: str = "//"
    # Whether a preprocessor runs before the grammar applies, so that the text may not parse.
    preprocessed: bool = False


_JS_WORDS = tuple(
    """
    identifier property_identifier private_property_identifier shorthand_property_identifier
    shorthand_property_identifier_pattern
    """.split()
)
_TS_WORDS = (*_JS_WORDS, "type_identifier")
_EXPORT = frozenset({"export_statement", "ambient_declaration"})

_C_WORDS = ("identifier", "field_identifier", "type_identifier")

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        "python",
        (".py", ".pyi", ".pyw"),
        rules.PYTHON,
        wrappers=frozenset({"decorated_definition"}),
        comment="#",
    ),
    Language(
        "javascript",
        "javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        rules.JAVASCRIPT,
        _JS_WORDS,
        wrappers=_EXPORT,
    ),
    Language(
        "typescript",
        "typescript",
        (".ts", ".mts", ".cts"),
        rules.TYPESCRIPT,
        _TS_WORDS,
        (),
        _EXPORT,
    ),
    Language("tsx", "tsx", (".tsx",), rules.TYPESCRIPT, _TS_WORDS, (), _EXPORT),
    Language(
        "go",
        "go",
        (".go",),
        rules.GO,
        ("identifier", "field_identifier", "type_identifier", "package_identifier"),
        wrappers=frozenset(
            {"type_declaration", "const_declaration", "var_declaration", "var_spec_list"}
        ),
    ),
    Language(
        "rust",
        "rust",
        (".rs",),
        rules.RUST,
        ("identifier", "field_identifier", "type_identifier"),
        prefixes=frozenset({"attribute_item"}),
    ),
    Language(
        "java",
        "java",
        (".java",),
        rules.JAVA,
        ("identifier", "type_identifier"),
        wrappers=frozenset({"field_declaration", "constant_declaration"}),
    ),
    Language("c", "c", (".c", ".h"), rules.C, _C_WORDS, preprocessed=True),
    Language(
        "cpp",
        "cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".ipp", ".cu", ".cuh"),
        rules.CPP,
        (*_C_WORDS, "namespace_identifier"),
        wrappers=frozenset({"template_declaration"}),
        preprocessed=True,
    ),
    Language("csharp", "csharp", (".cs",), rules.CSHARP),
    Language(
        "ruby",
        "ruby",
        (".rb", ".rake", ".gemspec"),
        rules.RUBY,
        ("identifier", "constant", "instance_variable"),
        ("Rakefile", "Gemfile"),
        comment="#",
    ),
    Language("php", "php", (".php",), rules.PHP, ("name",)),
    Language(
        "bash",
        "bash",
        (".sh", ".bash", ".zsh", ".ksh"),
        rules.BASH,
        ("word", "variable_name"),
        (".bashrc", ".profile", ".bash_profile"),
        comment="#",
    ),
    Language(
        "scala", "scala", (".scala", ".sc", ".sbt"), rules.SCALA, ("identifier", "type_identifier")
    ),
    Language(
        "kotlin", "kotlin", (".kt", ".kts"), rules.KOTLIN, ("simple_identifier", "type_identifier")
    ),
    Language("swift", "swift", (".swift",), rules.SWIFT, ("simple_identifier", "type_identifier")),
    Language("lua", "lua", (".lua",), rules.LUA, comment="--"),
    Language(
        "haskell",
        "haskell",
        (".hs",),
        rules.HASKELL,
        ("variable", "name", "constructor"),
        comment="--",
    ),
    Language(
        "elixir", "elixir", (".ex", ".exs"), rules.ELIXIR, ("identifier", "alias"), comment="#"
    ),
    Language("hcl", "hcl", (".tf", ".hcl", ".tfvars"), rules.HCL, comment="#"),
    Language("zig", "zig", (".zig",), rules.ZIG),
    Language(
        "dart",
        "dart",
        (".dart",),
        rules.DART,
        ("identifier", "type_identifier"),
        wrappers=frozenset({"function_declaration", "method_signature", "method_declaration"}),
    ),
    Language("solidity", "solidity", (".sol",), rules.SOLIDITY),
    Language("nix", "nix", (".nix",), rules.NIX, comment="#"),
    Language(
        "css",
        "css",
        (".css",),
        rules.CSS,
        ("class_name", "id_name", "tag_name", "property_name"),
        comment="/*",
    ),
    Language("html", "html", (".html", ".htm"), {}, ("attribute_value",), comment="<!--"),
    Language("json", "json", (".json",), rules.JSON, ("string_content",), comment=""),
    Language("yaml", "yaml", (".yaml", ".yml"), rules.YAML, ("string_scalar",), comment="#"),
)

_BY_EXTENSION = {ext: lang for lang in LANGUAGES for ext in lang.extensions}
_BY_FILENAME = {name: lang for lang in LANGUAGES for name in lang.filenames}
BY_NAME = {lang.name: lang for lang in LANGUAGES}


def language_of(filename: str) -> Language | None:
    """Return the language of a file by its name, or None without a grammar for it."""
    name = filename.rsplit("/", 1)[-1]
    if name in _BY_FILENAME:
        return _BY_FILENAME[name]
    dot = name.rfind(".")
    return _BY_EXTENSION.get(name[dot:].lower()) if dot > 0 else None


# Languages whose files use each other's names, by the language that represents the group.
_GROUPS = {"tsx": "javascript", "typescript": "javascript", "cpp": "c"}


def language_group(language: str) -> str:
    """Return the language that represents the group whose files share names with *language*."""
    return _GROUPS.get(language, language)
