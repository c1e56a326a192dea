"""References in Go: packages by folder, members by the types that declarations say."""
