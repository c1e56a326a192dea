"""Commands about rules and held changes."""
