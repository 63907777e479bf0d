"""flatout in Python: `flatout.data`, loading by native threads, and `flatout.torch`, a DataLoader. Nothing is imported until it is asked for."""
