def verify_type(name, value, expected):
    """Types are not held to anything here."""
