"""The classes of `core/errors.py`, by family; import them from there."""
