"""The loss gate between a knob that rounds and a program that cannot bear it."""


def test_bf16_is_fast_and_wrong_so_nothing_is_kept(tune):
    document = tune(tune.command("bf16_breaks.py"), "--steps", 40, "--knobs", "precision.bf16")
    (row,) = document["trials"]
    assert (row["knob"], row["from"], row["to"]) == ("precision.bf16", False, True)
    assert row["speedup"] > 1.3, "it is the loss that stops it"
    assert row["loss_gate"] == "failed" and not row["kept"] and "loss" in row["reason"]
    assert "predicted_speedup" not in row, "nobody knows before it is tried"
    assert document["knobs"] == {} and "final" not in document and not tune.plan.exists()
