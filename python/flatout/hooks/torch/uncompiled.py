"""Keeps torch.compile away from functions of ours."""


def leave_uncompiled(torch, *functions):
    """Where torch.compile breaks off at a call that we stand in for it would go on
    with the Python that it meets below: with ours, and with what that calls."""
    frames = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    if not hasattr(frames, "set_code_exec_strategy"):
        return  # releases of torch that say this otherwise compile it
    skip = frames._FrameAction.SKIP
    for function in functions:
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
