"""What a reference is: targets, definitions, and how resolvers read files.

`typed` is the base of resolvers for languages with declared types.
"""
