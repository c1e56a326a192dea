"""Builds each part of Redline on first use; only this package connects adapters to ports."""
