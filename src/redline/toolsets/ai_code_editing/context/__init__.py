"""`get_code_context`: definitions, references, outlines.

`handler` answers the call.
"""
