"""What everything pickles to, before and after it was used."""

import copy
import hashlib
import io
import pickle
import pickletools

import torch
from tiny import Rows, set_up, train


def digest(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    plain = pickle.dumps(thing)
    opcodes = [op.name for op, _, _ in pickletools.genops(plain)]  # storages pickle their address
    return [
        hashlib.sha256(buffer.getvalue()).hexdigest(),
        hashlib.sha256(" ".join(opcodes).encode()).hexdigest(),
        len(plain),
        sorted(vars(thing)) if hasattr(thing, "__dict__") else "",
    ]


model, loss_of, optimizer = set_up()
loader = torch.utils.data.DataLoader(Rows(), batch_size=4, shuffle=True)
things = {
    "model": model,
    "loss": loss_of,
    "optimizer": optimizer,
    "loader": loader,
    "dataset": loader.dataset,
    "sampler": loader.sampler,
    "state": model.state_dict(),
}
for moment in ("before", "after"):
    for name, thing in things.items():
        print(moment, name, *digest(thing))
    train(model, loss_of, optimizer, loader)
for name in ("model", "optimizer", "loader"):
    print("copy", name, *digest(copy.deepcopy(things[name])))
for function in (torch.save, torch.autograd.backward, torch.optim.SGD.step, torch.utils.data.DataLoader):
    print("reference", pickle.dumps(function))
torch.save(model, "model.pt")
loaded = torch.load("model.pt", weights_only=False)
print("loaded", *digest(loaded))
