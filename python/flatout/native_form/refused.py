"""Why something has no native form."""


class Refused(Exception):
    """Its text is one clause, which names the part."""
