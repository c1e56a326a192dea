"""One package per toolset: read the arguments, call a service, format the answer."""

TOOLSETS = {
    "agent": "redline.toolsets.agent.tools",
    "coding": "redline.toolsets.coding_tools.tools",
    "files": "redline.toolsets.files.tools",
    "code": "redline.toolsets.ai_code_editing.tools",
    "json": "redline.toolsets.json_editor.tools",
    "yaml": "redline.toolsets.yaml.tools",
    "docs": "redline.toolsets.documents.tools",
    "history": "redline.toolsets.history.tools",
}
"""The module of each toolset's TOOLSET value, in the order in which tools are listed."""

OWN = "agent"
"""The toolset that does everything by itself, and the default: `all` means the others."""
