"""One package per toolset: arguments to plan, plan to engine, outcome to wording."""

TOOLSETS = {
    "coding": "redline.dialects.coding.dialect",
    "files": "redline.dialects.files.dialect",
    "code": "redline.dialects.code.dialect",
    "json": "redline.dialects.json_editor.dialect",
    "yaml": "redline.dialects.yaml.dialect",
    "docs": "redline.dialects.docs.dialect",
    "history": "redline.dialects.history.dialect",
}
"""Where each toolset's DIALECT value lives; a module that is absent is not offered yet."""
