"""batch.size of a plan in transformers.Trainer and lightning.Trainer, unmodified."""

import pytest
from planned import train

OWN, SIZE, UPDATES = 4, 16, 8  # two epochs of 64 samples


@pytest.fixture(scope="module")
def sized(tmp_path_factory):
    return train(tmp_path_factory.mktemp("sized"), {"batch.size": SIZE}, None, "framework_batches.py")


def test_both_train_in_the_batches_of_the_plan(sized):
    for seen in sized.saw:
        assert seen["shapes"] == [SIZE] * UPDATES and seen["updates"] == UPDATES
    said = [word for word in sized.words if word["applied"]]
    assert said[0]["from"] == OWN and said[0]["value"] == SIZE


def test_the_rate_follows_by_the_rule_and_the_schedule_is_as_long_as_the_training(sized):
    hugging_face, lightning = sized.saw
    # AdamW: the square root of 4. The Trainer's schedule falls to 0 over its updates.
    assert hugging_face["outside"] == pytest.approx([0.1 * (1 - n / UPDATES) for n in range(UPDATES)])
    assert hugging_face["inside"] == pytest.approx([2 * rate for rate in hugging_face["outside"]])
    # SGD: 4, reached over five epochs of four updates.
    assert lightning["outside"] == pytest.approx([0.1 * 0.9**n for n in range(UPDATES)])
    ramp = [1 + 3 * n / 20 for n in range(1, UPDATES + 1)]
    assert lightning["inside"] == pytest.approx([k * rate for k, rate in zip(ramp, lightning["outside"])])
    effects = " ".join(word.get("effect", "") for word in sized.words)
    assert "x2 (square root rule, AdamW)" in effects and "x4 (linear rule, SGD), ramped over 20 updates" in effects
