"""The code toolset: the ai_code_editing specification."""
