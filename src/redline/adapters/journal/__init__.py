"""Durable changes: the journal, the transaction that writes it, and recovery.

A change to many files happens completely or not at all, and can be undone.
"""
