"""Outlines, symbols and references from syntax trees."""
