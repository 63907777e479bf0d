"""As far as integrations of others import it."""
