"""What a trial of `flatout tune` or `flatout search` needs, and no other run: evidence that the training is the same."""
