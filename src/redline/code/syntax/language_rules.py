"""Rules for definitions in each language: node kinds of its grammar, and how to name them.

The tables are data for `definitions.py`. They map a node kind to what it defines and to the
finder of its name ("field:name" by default).
"""

from __future__ import annotations

from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class DefinitionRule:
    """How nodes of one kind define symbols.

    `kind` is what they define; a function whose nearest scope is a type becomes a method. `name`
    is the finder of the name (see naming.py). `parents` lists the allowed kinds of the parent node,
    if not all; `local` says whether definitions inside a function count. `scope_only` opens a
    scope without being a symbol of its own.
    """

    kind: str
    name: str = "field:name"
    parents: frozenset[str] = frozenset()
    local: bool = True
    scope_only: bool = False


Rules = dict[str, DefinitionRule]
_Rule = DefinitionRule


def _in(*parents: str) -> frozenset[str]:
    return frozenset(parents)


_SCRIPT: Rules = {
    "function_declaration": _Rule("function"),
    "generator_function_declaration": _Rule("function"),
    "class_declaration": _Rule("class"),
    "class": _Rule("class", "js_class"),
    "method_definition": _Rule("method", "js_member"),
    "variable_declarator": _Rule("variable", "js_variable"),
    "assignment_expression": _Rule("function", "js_assignment"),
    "pair": _Rule("function", "js_pair"),
    "function_expression": _Rule("function", "js_expression"),
    "comment": _Rule("type", "js_doc"),
}
TYPESCRIPT: Rules = {
    **{kind: rule for kind, rule in _SCRIPT.items() if kind != "comment"},
    "public_field_definition": _Rule("field"),
    "abstract_class_declaration": _Rule("class"),
    "interface_declaration": _Rule("interface"),
    "type_alias_declaration": _Rule("type"),
    "enum_declaration": _Rule("enum"),
    "enum_body": _Rule("enum_member", "ts_enum"),
    "internal_module": _Rule("namespace"),
    "module": _Rule("namespace"),
    "function_signature": _Rule("function"),
    "abstract_method_signature": _Rule("method"),
    "method_signature": _Rule("method", parents=_in("interface_body", "class_body")),
    "property_signature": _Rule("field", parents=_in("interface_body")),
}
# Parents of a declaration that is not a local variable.
_C_OUTER = _in(
    *"""
    translation_unit declaration_list linkage_specification template_declaration preproc_if
    preproc_ifdef preproc_else preproc_elif preproc_elifdef ERROR field_declaration_list
    """.split()
)
C: Rules = {
    "function_definition": _Rule("function", "declarators"),
    "struct_specifier": _Rule("struct", "bodied"),
    "union_specifier": _Rule("union", "bodied"),
    "enum_specifier": _Rule("enum", "bodied"),
    "enumerator": _Rule("enum_member"),
    "type_definition": _Rule("type", "declarators"),
    "field_declaration": _Rule("field", "declarators", local=False),
    "declaration": _Rule("variable", "declarators", parents=_C_OUTER, local=False),
    "preproc_def": _Rule("macro"),
    "preproc_function_def": _Rule("macro"),
}
CPP: Rules = {
    **C,
    "class_specifier": _Rule("class", "bodied"),
    "namespace_definition": _Rule("namespace"),
    "alias_declaration": _Rule("type"),
}

PYTHON: Rules = {
    "function_definition": _Rule("function"),
    "class_definition": _Rule("class"),
    "assignment": _Rule("variable", "py_targets", local=False),
    "type_alias_statement": _Rule("type", "py_alias"),
}

JAVASCRIPT: Rules = {**_SCRIPT, "field_definition": _Rule("field", "field:property")}

GO: Rules = {
    "function_declaration": _Rule("function"),
    "method_declaration": _Rule("method", "go_method"),
    "type_spec": _Rule("type", "go_type"),
    "type_alias": _Rule("type"),
    "const_spec": _Rule("constant", "fields:name", local=False),
    "var_spec": _Rule("variable", "fields:name", local=False),
    "field_declaration": _Rule("field", "fields:name", local=False),
    "method_elem": _Rule("method"),
}

RUST: Rules = {
    "function_item": _Rule("function"),
    "function_signature_item": _Rule("function"),
    "struct_item": _Rule("struct"),
    "enum_item": _Rule("enum"),
    "union_item": _Rule("union"),
    "enum_variant": _Rule("enum_member"),
    "field_declaration": _Rule("field"),
    "trait_item": _Rule("trait"),
    "impl_item": _Rule("impl", "field:type", scope_only=True),
    "mod_item": _Rule("module"),
    "const_item": _Rule("constant"),
    "static_item": _Rule("variable"),
    "type_item": _Rule("type"),
    "associated_type": _Rule("type"),
    "macro_definition": _Rule("macro"),
}

JAVA: Rules = {
    "class_declaration": _Rule("class"),
    "interface_declaration": _Rule("interface"),
    "enum_declaration": _Rule("enum"),
    "record_declaration": _Rule("class"),
    "annotation_type_declaration": _Rule("interface"),
    "annotation_type_element_declaration": _Rule("method"),
    "object_creation_expression": _Rule("nameless", "bodied_expression", scope_only=True),
    "method_declaration": _Rule("method"),
    "constructor_declaration": _Rule("method"),
    "compact_constructor_declaration": _Rule("method"),
    "variable_declarator": _Rule("field", parents=_in("field_declaration", "constant_declaration")),
    "enum_constant": _Rule("enum_member"),
}

CSHARP: Rules = {
    "namespace_declaration": _Rule("namespace"),
    "file_scoped_namespace_declaration": _Rule("namespace"),
    "class_declaration": _Rule("class"),
    "interface_declaration": _Rule("interface"),
    "struct_declaration": _Rule("struct"),
    "enum_declaration": _Rule("enum"),
    "record_declaration": _Rule("class"),
    "delegate_declaration": _Rule("type"),
    "method_declaration": _Rule("method"),
    "constructor_declaration": _Rule("method"),
    "local_function_statement": _Rule("function"),
    "property_declaration": _Rule("property"),
    "variable_declarator": _Rule("field", local=False),
    "enum_member_declaration": _Rule("enum_member"),
}

RUBY: Rules = {
    "module": _Rule("module", "scoped"),
    "class": _Rule("class", "scoped"),
    "method": _Rule("function"),
    "singleton_method": _Rule("function"),
    "assignment": _Rule("constant", "rb_constant", local=False),
}

PHP: Rules = {
    "namespace_definition": _Rule("namespace"),
    "function_definition": _Rule("function"),
    "class_declaration": _Rule("class"),
    "interface_declaration": _Rule("interface"),
    "trait_declaration": _Rule("trait"),
    "enum_declaration": _Rule("enum"),
    "enum_case": _Rule("enum_member"),
    "method_declaration": _Rule("method"),
    "const_element": _Rule("constant", "kinds:name"),
    "property_element": _Rule("field", "php_property"),
}

BASH: Rules = {
    "function_definition": _Rule("function"),
    "variable_assignment": _Rule("variable", local=False),
}

SCALA: Rules = {
    "class_definition": _Rule("class"),
    "object_definition": _Rule("class"),
    "trait_definition": _Rule("trait"),
    "enum_definition": _Rule("enum"),
    "simple_enum_case": _Rule("enum_member"),
    "function_definition": _Rule("function"),
    "function_declaration": _Rule("function"),
    "val_definition": _Rule("constant", "kinds:identifier", local=False),
    "var_definition": _Rule("variable", "kinds:identifier", local=False),
    "type_definition": _Rule("type"),
    "given_definition": _Rule("constant", "kinds:identifier"),
}

KOTLIN: Rules = {
    "class_declaration": _Rule("class", "kinds:type_identifier|simple_identifier"),
    "object_declaration": _Rule("class", "kinds:type_identifier|simple_identifier"),
    "function_declaration": _Rule("function", "kinds:simple_identifier"),
    "property_declaration": _Rule("variable", "kt_property", local=False),
    "type_alias": _Rule("type", "kinds:type_identifier"),
    "enum_entry": _Rule("enum_member", "kinds:simple_identifier"),
}

SWIFT: Rules = {
    "class_declaration": _Rule("class", "kinds:type_identifier|user_type"),
    "protocol_declaration": _Rule("interface", "kinds:type_identifier"),
    "function_declaration": _Rule("function", "kinds:simple_identifier"),
    "protocol_function_declaration": _Rule("method", "kinds:simple_identifier"),
    "property_declaration": _Rule("variable", "swift_property", local=False),
    "typealias_declaration": _Rule("type", "kinds:type_identifier"),
    "enum_entry": _Rule("enum_member", "all:simple_identifier"),
}

LUA: Rules = {
    "function_declaration": _Rule("function", "scoped"),
    "assignment_statement": _Rule("function", "lua_assignment"),
}

HASKELL: Rules = {
    "function": _Rule("function", parents=_in("declarations", "class_declarations")),
    "bind": _Rule("function", parents=_in("declarations")),
    "signature": _Rule("function", parents=_in("class_declarations")),
    "data_type": _Rule("type"),
    "newtype": _Rule("type"),
    "type_synonym": _Rule("type"),
    "class": _Rule("interface"),
}

ELIXIR: Rules = {"call": _Rule("function", "ex_call")}

HCL: Rules = {"block": _Rule("block", "hcl_block")}

ZIG: Rules = {
    "function_declaration": _Rule("function"),
    "variable_declaration": _Rule("variable", "kinds:identifier", local=False),
    "container_field": _Rule("field", "kinds:identifier"),
}

DART: Rules = {
    "class_declaration": _Rule("class"),
    "mixin_declaration": _Rule("class", "kinds:identifier"),
    "extension_declaration": _Rule("class", "kinds:identifier"),
    "enum_declaration": _Rule("enum"),
    "enum_constant": _Rule("enum_member"),
    "function_signature": _Rule("function"),
    "getter_signature": _Rule("property"),
    "setter_signature": _Rule("property"),
    "constructor_signature": _Rule("method", "last:identifier"),
    "initialized_identifier": _Rule("variable", "kinds:identifier", local=False),
    "static_final_declaration": _Rule("constant", "kinds:identifier", local=False),
    "type_alias": _Rule("type", "kinds:type_identifier"),
}

SOLIDITY: Rules = {
    "contract_declaration": _Rule("class"),
    "interface_declaration": _Rule("interface"),
    "library_declaration": _Rule("class"),
    "function_definition": _Rule("function"),
    "modifier_definition": _Rule("function"),
    "event_definition": _Rule("type"),
    "error_declaration": _Rule("type"),
    "struct_declaration": _Rule("struct"),
    "enum_declaration": _Rule("enum"),
    "state_variable_declaration": _Rule("field"),
}

NIX: Rules = {"binding": _Rule("variable", "nix_binding")}

CSS: Rules = {
    "rule_set": _Rule("rule", "kinds:selectors"),
    "keyframes_statement": _Rule("rule", "kinds:keyframes_name"),
}

JSON: Rules = {"pair": _Rule("key", "field:key")}

YAML: Rules = {"block_mapping_pair": _Rule("key", "field:key")}
