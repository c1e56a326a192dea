"""Plan how operations are taken back from a workspace that has changed since."""
