"""The base of resolvers for languages whose values have declared types."""
