"""One process that serves many workspaces: `routing` finds the one a request is for, `opened` keeps
those that are open.
"""
