"""The policy file, its judge beneath the locks of a commit, and held changes on disk."""
