"""Rules about changes: a policy file as data, and what it says about a change set. Pure."""
