"""Sets an attribute of a DataLoader."""


def put(loader, name, value):
    """Also one that DataLoader lets nobody change once it is built."""
    if getattr(loader, name, None) == value:
        return
    if name == "persistent_workers":
        object.__setattr__(loader, name, value)
    else:
        setattr(loader, name, value)
