"""Who sends a request over HTTP: `auth` finds the person, `gate` refuses and counts."""
