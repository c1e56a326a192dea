"""Imports that change when a file of Python, JavaScript or TypeScript gets another path.

Each module reads import statements of one language and says what replaces which text.
"""
