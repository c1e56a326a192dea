"""One of several servers that work as one: `routing` finds the server that has a workspace,
`forwarding` passes a request on to it, `proof` shows there that it comes from the group.
"""
