"""The smallest servers on other stacks, to compare with."""
