"""batch.accumulate in transformers.Trainer and Lightning: set as their own arguments."""

import pytest
import torch
from held import Numbers, Plan

ID = "batch.accumulate"


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(4)
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        self.shapes = []

    def forward(self, x, labels=None):
        self.shapes.append(len(x))
        return {"loss": torch.nn.functional.mse_loss(self.layers(x), labels)}

    def weights(self):
        return torch.cat([parameter.detach().flatten() for parameter in self.parameters()])


class Rows(Numbers):
    def __getitem__(self, index):
        return {"x": self.x[index], "labels": self.y[index]}


def transformers_trainer(folder, **arguments):
    from transformers import Trainer, TrainingArguments

    args = TrainingArguments(
        output_dir=str(folder), report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no",
        num_train_epochs=2, learning_rate=0.05, lr_scheduler_type="linear", logging_strategy="no",
        **{"per_device_train_batch_size": 8, **arguments},
    )  # fmt: skip
    return Trainer(model=Model(), args=args, train_dataset=Rows(40))


def told(trainer):
    args = trainer.args
    return args.per_device_train_batch_size, args.gradient_accumulation_steps, trainer._train_batch_size


@pytest.mark.parametrize(
    ("value", "own", "new"),
    [(4, (8, 1), (2, 4)), (2, (4, 2), (2, 4)), ("1/2", (2, 4), (4, 2)), ("1/4", (2, 4), (8, 1))],
)
def test_transformers_trainer_is_told(knobs, tmp_path, value, own, new):
    sizes = {"per_device_train_batch_size": own[0], "gradient_accumulation_steps": own[1]}
    expected = transformers_trainer(tmp_path, **sizes)
    expected.train()
    plan = Plan(knobs, {ID: value})
    with plan.held():
        trainer = transformers_trainer(tmp_path, **sizes)
        trainer.train()
        assert told(trainer) == (*new, new[0])
        assert plan.word == {
            "knob": ID, "value": value, "from": 1, "applied": True,
            "effect": "gradient_accumulation_steps %d -> %d, per_device_train_batch_size %d -> %d"
            % (own[1], new[1], own[0], new[0]),
        }  # fmt: skip
        trainer.train()  # not once more
        assert told(trainer) == (*new, new[0]) and len(plan.native.facts) == 1
        assert set(trainer.model.shapes) == {new[0]}
    assert told(trainer)[:2] == own, "undone"
    assert trainer.state.global_step == expected.state.global_step == 10


def test_transformers_trainer_trains_the_same(knobs, tmp_path):
    expected = transformers_trainer(tmp_path)
    expected.train()
    plan = Plan(knobs, {ID: 4})
    with plan.held():
        trainer = transformers_trainer(tmp_path)
        trainer.train()
    assert torch.allclose(trainer.model.weights(), expected.model.weights(), rtol=1e-4, atol=1e-5)
    assert trainer.lr_scheduler.get_last_lr() == pytest.approx(expected.lr_scheduler.get_last_lr())


@pytest.mark.parametrize(
    ("value", "arguments", "reason"),
    [
        (3, {}, "a batch of 8 cannot be divided into 3"),
        ("1/2", {}, "accumulates 1 batches, which cannot be joined by 2"),
        (2, {"auto_find_batch_size": True}, "looks for a batch size itself"),
        (2, {"accelerator_config": {"split_batches": True}}, "splits each batch over the ranks"),
    ],
)
def test_transformers_trainer_as_it_was(knobs, tmp_path, value, arguments, reason):
    plan = Plan(knobs, {ID: value})
    with plan.held():
        trainer = transformers_trainer(tmp_path, max_steps=2, **arguments)
        trainer.train()
        assert told(trainer) == (8, 1, 8) and set(trainer.model.shapes) == {8}
        assert not plan.word["applied"] and reason in plan.word["reason"], plan.word


def test_a_loop_of_its_own_with_accelerate_is_left_alone(knobs):
    from accelerate import Accelerator

    plan = Plan(knobs, {ID: 2})
    with plan.held():
        accelerator = Accelerator(cpu=True)
        model, loader = Model(), torch.utils.data.DataLoader(Numbers(), batch_size=8)
        model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1), loader)
        for x, y in loader:
            optimizer.zero_grad()
            accelerator.backward(model(x, y)["loss"])
            optimizer.step()
        assert model.shapes == [8] * 5 + [4]
        assert "gradient_accumulation_steps of its own" in plan.word["reason"]


def lightning_fit(loaders=1, length=40, automatic=True, **arguments):
    from lightning.pytorch import LightningModule, Trainer

    class Module(LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Model()
            self.automatic_optimization = automatic

        def training_step(self, batch, _index):
            loss = sum(self.model(x, y)["loss"] for x, y in (batch if loaders > 1 else [batch]))
            if automatic:
                return loss
            self.optimizers().zero_grad()
            self.manual_backward(loss)
            self.optimizers().step()

        def configure_optimizers(self):
            optimizer = torch.optim.AdamW(self.parameters(), lr=0.05)
            steps = self.trainer.estimated_stepping_batches
            schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=steps)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    if automatic:
        arguments["gradient_clip_val"] = 0.5
    module = Module()
    sizes = [arguments.pop("batch_size", 8), 6][:loaders]
    made = [torch.utils.data.DataLoader(Numbers(length), batch_size=size) for size in sizes]
    trainer = Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, **arguments,
    )  # fmt: skip
    trainer.fit(module, made if loaders > 1 else made[0])
    return trainer, module.model, made


@pytest.fixture(autouse=True)
def quiet():
    import logging
    import warnings

    import lightning  # noqa: F401 - it sets its loggers up

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize(
    ("value", "own", "new"), [(4, (8, 1), (2, 4)), (2, (4, 2), (2, 4)), ("1/2", (2, 4), (4, 2)), ("1/4", (2, 4), (8, 1))]
)
def test_lightning_is_told_and_trains_the_same(knobs, value, own, new):
    sizes = {"batch_size": own[0], "accumulate_grad_batches": own[1]}
    expected, model, _ = lightning_fit(**sizes)
    plan = Plan(knobs, {ID: value})
    with plan.held():
        trainer, found, (loader,) = lightning_fit(**sizes)
        assert (loader.batch_size, trainer.accumulate_grad_batches) == new
        assert plan.word == {
            "knob": ID, "value": value, "from": 1, "applied": True,
            "effect": "accumulate_grad_batches %d -> %d, batch_size %d -> %d" % (own[1], new[1], own[0], new[0]),
        }  # fmt: skip
        assert set(found.shapes) == {new[0]}
    assert (loader.batch_size, trainer.accumulate_grad_batches) == own, "undone"
    assert trainer.global_step == expected.global_step == 10
    assert torch.allclose(found.weights(), model.weights(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("value", "choices", "reason"),
    [
        (3, {}, "a batch of 8 cannot be divided into 3"),
        ("1/2", {}, "accumulates 1 batches"),
        (4, {"loaders": 2}, "a batch of 6 cannot be divided into 4"),
        (2, {"limit_train_batches": 3}, "limit_train_batches counts batches"),
        (2, {"automatic": False}, "makes its updates itself"),
    ],
)
def test_lightning_as_it_was(knobs, value, choices, reason):
    plan = Plan(knobs, {ID: value})
    with plan.held():
        trainer, model, loaders = lightning_fit(**choices)
        assert trainer.accumulate_grad_batches == 1
        assert [loader.batch_size for loader in loaders] == [8, 6][: len(loaders)]
        assert max(model.shapes) == 8
        assert not plan.word["applied"] and reason in plan.word["reason"], plan.word
