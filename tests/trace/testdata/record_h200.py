"""torch.profiler traces of training steps on a GPU: record_h200.py resnet50|gpt2 FILE.json.gz [WORKERS]"""
import sys, torch
from torch.profiler import profile, ProfilerActivity, schedule
which, out = sys.argv[1:3]
if which == "resnet50":
    import torchvision
    net = torchvision.models.resnet50().cuda(); opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    class D(torch.utils.data.Dataset):
        def __len__(self): return 4096
        def __getitem__(self, i): return torch.randn(3, 224, 224), i % 1000
    loader = torch.utils.data.DataLoader(D(), batch_size=64, num_workers=int(sys.argv[3]))
    def step(b):
        x, y = b[0].cuda(), b[1].cuda()
        opt.zero_grad(); l = torch.nn.functional.cross_entropy(net(x), y); l.backward(); opt.step(); return l
else:
    from transformers import GPT2Config, GPT2LMHeadModel
    net = GPT2LMHeadModel(GPT2Config(n_layer=4)).cuda(); opt = torch.optim.AdamW(net.parameters())
    class D(torch.utils.data.Dataset):
        def __len__(self): return 4096
        def __getitem__(self, i): return torch.randint(0, 50000, (512,))
    loader = torch.utils.data.DataLoader(D(), batch_size=8)
    def step(b):
        b = b.cuda(); opt.zero_grad(); l = net(input_ids=b, labels=b).loss; l.backward(); opt.step(); return l.item()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], schedule=schedule(wait=4, warmup=2, active=4), on_trace_ready=lambda p: p.export_chrome_trace(out)) as p:
    for i, b in enumerate(loader):
        step(b); p.step()
        if i == 11: break
