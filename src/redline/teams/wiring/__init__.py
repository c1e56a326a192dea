"""Connect a server to its workspaces, to the other servers of its group and to object stores."""
