"""The commands `review` and `held`."""
