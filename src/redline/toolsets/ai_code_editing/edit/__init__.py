"""`edit_file`: turn an edit request into the new text of a file.

`handler` answers the call.
"""
