"""Pure: a tree and an intent become a ChangeSet."""
