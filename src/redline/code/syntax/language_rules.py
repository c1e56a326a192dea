"""What defines a symbol in each language: node kinds of its grammar, and how each is named.

The tables are data; `definitions.py` walks trees by them. A rule names the node kind that defines
something, what it defines, and how the name is found ("field:name" if not said otherwise).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One node kind that defines symbols.

    `kind` is what it defines; a function whose nearest scope is a type becomes a method. `name`
    picks the naming node (see naming.py). `parents` restricts where the node must stand; `local`
    says whether definitions inside a function count. `scope_only` opens a scope without being a
    symbol of its own.
    """

    kind: str
    name: str = "field:name"
    parents: frozenset[str] = frozenset()
    local: bool = True
    scope_only: bool = False


Rules = dict[str, Rule]


def _in(*parents: str) -> frozenset[str]:
    return frozenset(parents)


_SCRIPT: Rules = {
    "function_declaration": Rule("function"),
    "generator_function_declaration": Rule("function"),
    "class_declaration": Rule("class"),
    "class": Rule("class", "js_class"),
    "method_definition": Rule("method", "js_member"),
    "variable_declarator": Rule("variable", "js_variable"),
    "assignment_expression": Rule("function", "js_assignment"),
    "pair": Rule("function", "js_pair"),
    "function_expression": Rule("function", "js_expression"),
    "comment": Rule("type", "js_doc"),
}
TYPESCRIPT: Rules = {
    **{kind: rule for kind, rule in _SCRIPT.items() if kind != "comment"},
    "public_field_definition": Rule("field"),
    "abstract_class_declaration": Rule("class"),
    "interface_declaration": Rule("interface"),
    "type_alias_declaration": Rule("type"),
    "enum_declaration": Rule("enum"),
    "enum_body": Rule("enum_member", "ts_enum"),
    "internal_module": Rule("namespace"),
    "module": Rule("namespace"),
    "function_signature": Rule("function"),
    "abstract_method_signature": Rule("method"),
    "method_signature": Rule("method", parents=_in("interface_body", "class_body")),
    "property_signature": Rule("field", parents=_in("interface_body")),
}
# Where a declaration is no local variable.
_C_OUTER = _in(
    *("translation_unit", "declaration_list", "linkage_specification", "template_declaration"),
    *("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "ERROR"),
    "field_declaration_list",
)
C: Rules = {
    "function_definition": Rule("function", "declarators"),
    "struct_specifier": Rule("struct", "bodied"),
    "union_specifier": Rule("union", "bodied"),
    "enum_specifier": Rule("enum", "bodied"),
    "enumerator": Rule("enum_member"),
    "type_definition": Rule("type", "declarators"),
    "field_declaration": Rule("field", "declarators", local=False),
    "declaration": Rule("variable", "declarators", parents=_C_OUTER, local=False),
    "preproc_def": Rule("macro"),
    "preproc_function_def": Rule("macro"),
}
CPP: Rules = {
    **C,
    "class_specifier": Rule("class", "bodied"),
    "namespace_definition": Rule("namespace"),
    "alias_declaration": Rule("type"),
}

PYTHON: Rules = {
    "function_definition": Rule("function"),
    "class_definition": Rule("class"),
    "assignment": Rule("variable", "py_targets", local=False),
    "type_alias_statement": Rule("type", "py_alias"),
}

JAVASCRIPT: Rules = {**_SCRIPT, "field_definition": Rule("field", "field:property")}

GO: Rules = {
    "function_declaration": Rule("function"),
    "method_declaration": Rule("method", "go_method"),
    "type_spec": Rule("type", "go_type"),
    "type_alias": Rule("type"),
    "const_spec": Rule("constant", "fields:name", local=False),
    "var_spec": Rule("variable", "fields:name", local=False),
    "field_declaration": Rule("field", "fields:name", local=False),
    "method_elem": Rule("method"),
}

RUST: Rules = {
    "function_item": Rule("function"),
    "function_signature_item": Rule("function"),
    "struct_item": Rule("struct"),
    "enum_item": Rule("enum"),
    "union_item": Rule("union"),
    "enum_variant": Rule("enum_member"),
    "field_declaration": Rule("field"),
    "trait_item": Rule("trait"),
    "impl_item": Rule("impl", "field:type", scope_only=True),
    "mod_item": Rule("module"),
    "const_item": Rule("constant"),
    "static_item": Rule("variable"),
    "type_item": Rule("type"),
    "associated_type": Rule("type"),
    "macro_definition": Rule("macro"),
}

JAVA: Rules = {
    "class_declaration": Rule("class"),
    "interface_declaration": Rule("interface"),
    "enum_declaration": Rule("enum"),
    "record_declaration": Rule("class"),
    "annotation_type_declaration": Rule("interface"),
    "annotation_type_element_declaration": Rule("method"),
    "object_creation_expression": Rule("nameless", "bodied_expression", scope_only=True),
    "method_declaration": Rule("method"),
    "constructor_declaration": Rule("method"),
    "compact_constructor_declaration": Rule("method"),
    "variable_declarator": Rule("field", parents=_in("field_declaration", "constant_declaration")),
    "enum_constant": Rule("enum_member"),
}

CSHARP: Rules = {
    "namespace_declaration": Rule("namespace"),
    "file_scoped_namespace_declaration": Rule("namespace"),
    "class_declaration": Rule("class"),
    "interface_declaration": Rule("interface"),
    "struct_declaration": Rule("struct"),
    "enum_declaration": Rule("enum"),
    "record_declaration": Rule("class"),
    "delegate_declaration": Rule("type"),
    "method_declaration": Rule("method"),
    "constructor_declaration": Rule("method"),
    "local_function_statement": Rule("function"),
    "property_declaration": Rule("property"),
    "variable_declarator": Rule("field", local=False),
    "enum_member_declaration": Rule("enum_member"),
}

RUBY: Rules = {
    "module": Rule("module", "scoped"),
    "class": Rule("class", "scoped"),
    "method": Rule("function"),
    "singleton_method": Rule("function"),
    "assignment": Rule("constant", "rb_constant", local=False),
}

PHP: Rules = {
    "namespace_definition": Rule("namespace"),
    "function_definition": Rule("function"),
    "class_declaration": Rule("class"),
    "interface_declaration": Rule("interface"),
    "trait_declaration": Rule("trait"),
    "enum_declaration": Rule("enum"),
    "enum_case": Rule("enum_member"),
    "method_declaration": Rule("method"),
    "const_element": Rule("constant", "kinds:name"),
    "property_element": Rule("field", "php_property"),
}

BASH: Rules = {
    "function_definition": Rule("function"),
    "variable_assignment": Rule("variable", local=False),
}

SCALA: Rules = {
    "class_definition": Rule("class"),
    "object_definition": Rule("class"),
    "trait_definition": Rule("trait"),
    "enum_definition": Rule("enum"),
    "simple_enum_case": Rule("enum_member"),
    "function_definition": Rule("function"),
    "function_declaration": Rule("function"),
    "val_definition": Rule("constant", "kinds:identifier", local=False),
    "var_definition": Rule("variable", "kinds:identifier", local=False),
    "type_definition": Rule("type"),
    "given_definition": Rule("constant", "kinds:identifier"),
}

KOTLIN: Rules = {
    "class_declaration": Rule("class", "kinds:type_identifier|simple_identifier"),
    "object_declaration": Rule("class", "kinds:type_identifier|simple_identifier"),
    "function_declaration": Rule("function", "kinds:simple_identifier"),
    "property_declaration": Rule("variable", "kt_property", local=False),
    "type_alias": Rule("type", "kinds:type_identifier"),
    "enum_entry": Rule("enum_member", "kinds:simple_identifier"),
}

SWIFT: Rules = {
    "class_declaration": Rule("class", "kinds:type_identifier|user_type"),
    "protocol_declaration": Rule("interface", "kinds:type_identifier"),
    "function_declaration": Rule("function", "kinds:simple_identifier"),
    "protocol_function_declaration": Rule("method", "kinds:simple_identifier"),
    "property_declaration": Rule("variable", "swift_property", local=False),
    "typealias_declaration": Rule("type", "kinds:type_identifier"),
    "enum_entry": Rule("enum_member", "all:simple_identifier"),
}

LUA: Rules = {
    "function_declaration": Rule("function", "scoped"),
    "assignment_statement": Rule("function", "lua_assignment"),
}

HASKELL: Rules = {
    "function": Rule("function", parents=_in("declarations", "class_declarations")),
    "bind": Rule("function", parents=_in("declarations")),
    "signature": Rule("function", parents=_in("class_declarations")),
    "data_type": Rule("type"),
    "newtype": Rule("type"),
    "type_synonym": Rule("type"),
    "class": Rule("interface"),
}

ELIXIR: Rules = {"call": Rule("function", "ex_call")}

HCL: Rules = {"block": Rule("block", "hcl_block")}

ZIG: Rules = {
    "function_declaration": Rule("function"),
    "variable_declaration": Rule("variable", "kinds:identifier", local=False),
    "container_field": Rule("field", "kinds:identifier"),
}

DART: Rules = {
    "class_declaration": Rule("class"),
    "mixin_declaration": Rule("class", "kinds:identifier"),
    "extension_declaration": Rule("class", "kinds:identifier"),
    "enum_declaration": Rule("enum"),
    "enum_constant": Rule("enum_member"),
    "function_signature": Rule("function"),
    "getter_signature": Rule("property"),
    "setter_signature": Rule("property"),
    "constructor_signature": Rule("method", "last:identifier"),
    "initialized_identifier": Rule("variable", "kinds:identifier", local=False),
    "static_final_declaration": Rule("constant", "kinds:identifier", local=False),
    "type_alias": Rule("type", "kinds:type_identifier"),
}

SOLIDITY: Rules = {
    "contract_declaration": Rule("class"),
    "interface_declaration": Rule("interface"),
    "library_declaration": Rule("class"),
    "function_definition": Rule("function"),
    "modifier_definition": Rule("function"),
    "event_definition": Rule("type"),
    "error_declaration": Rule("type"),
    "struct_declaration": Rule("struct"),
    "enum_declaration": Rule("enum"),
    "state_variable_declaration": Rule("field"),
}

NIX: Rules = {"binding": Rule("variable", "nix_binding")}

CSS: Rules = {
    "rule_set": Rule("rule", "kinds:selectors"),
    "keyframes_statement": Rule("rule", "kinds:keyframes_name"),
}

JSON: Rules = {"pair": Rule("key", "field:key")}

YAML: Rules = {"block_mapping_pair": Rule("key", "field:key")}
