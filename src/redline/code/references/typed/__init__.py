"""References in languages whose values have declared types: what all of them share."""
