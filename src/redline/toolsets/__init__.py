"""One package per toolset: arguments to plan, plan to engine, outcome to wording."""

TOOLSETS = {
    "coding": "redline.toolsets.coding_tools.tools",
    "files": "redline.toolsets.files.tools",
    "code": "redline.toolsets.ai_code_editing.tools",
    "json": "redline.toolsets.json_editor.tools",
    "yaml": "redline.toolsets.yaml.tools",
    "docs": "redline.toolsets.documents.tools",
    "history": "redline.toolsets.history.tools",
}
"""The module of each toolset's TOOLSET value, in the order in which tools are listed."""
