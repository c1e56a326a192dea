"""Who may use a server: `users` reads the users file, `tokens` makes and revokes tokens in it."""
