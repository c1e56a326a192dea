"""Determine the types of Java expressions: calls, overloads, lambdas, inference.

Built on the declarations that the modules above this package read.
"""
