"""Processes that wait to be copied: a copy shares their memory and starts in a millisecond.

A template has loaded a program and has run none of it, so its copies know nothing of each other.
"""
