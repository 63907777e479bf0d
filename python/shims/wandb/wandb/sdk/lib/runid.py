from flatout.track.settings import new_id


def generate_id(length=8):
    """As wandb's: small letters and digits."""
    return "".join(new_id() for _ in range((length + 7) // 8))[:length]
