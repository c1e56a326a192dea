"""Reference resolution for Python, JavaScript and TypeScript.

`resolver` is the entry point.
"""
