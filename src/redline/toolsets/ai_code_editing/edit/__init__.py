"""`edit_file`: an edit request becomes a file's new text.

`handler` answers the call.
"""
