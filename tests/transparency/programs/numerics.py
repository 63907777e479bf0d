"""The losses and weights of a training run, to the last bit."""

import torch
from tiny import Rows, set_up, train

model, loss_of, optimizer = set_up()
loader = torch.utils.data.DataLoader(Rows(), batch_size=4, shuffle=True)
for epoch in range(2):
    for loss in train(model, loss_of, optimizer, loader):
        print(loss.hex())
for name, value in model.state_dict().items():
    print(name, [v.hex() for v in value.flatten().tolist()])
