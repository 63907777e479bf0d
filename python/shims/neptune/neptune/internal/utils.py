# The name is that of the client: Hugging Face's NeptuneCallback imports verify_type from here.
def verify_type(name, value, expected):
    """Types are not held to anything here."""
