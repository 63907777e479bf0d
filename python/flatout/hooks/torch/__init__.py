"""PyTorch: the functions of it that are hooked, and what a process says of it."""
