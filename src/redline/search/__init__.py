"""Read-only over a Tree: walk, ignore rules, globs, grep, listings."""
