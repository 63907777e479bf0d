"""torch.profiler on simulated devices: its trace has what the truth has, one for one, to the microsecond."""

import chrome_trace
import pytest
from measured import told
from profiled import PREAMBLE, within

TRAINING = """
model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 16)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
pageable = torch.randn(256, 1024)
pinned = torch.randn(256, 1024).pin_memory()
answer = torch.empty(256, 16).pin_memory()
side = torch.cuda.Stream()


def step(batch):
    loss = model(batch).square().mean()
    loss.backward()  # on autograd's thread
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)  # sets
    return loss


def steps():
    for _ in range(4):
        step(pageable.cuda())
        step(pinned.cuda())
        step(pinned.to("cuda", non_blocking=True)).item()
        with torch.cuda.stream(side):
            later = pinned.to("cuda", non_blocking=True)
            out = later @ later.T
            answer.copy_(out[:, :16], non_blocking=True)
        torch.zeros(1 << 20, dtype=torch.uint8, device="cuda")
        model(pageable.cuda()).clone().cpu()
    torch.cuda.current_stream().wait_stream(side)


steps()
torch.cuda.synchronize()
told(window=traced("trace.json", steps))
"""


@pytest.fixture(scope="module")
def training(simgpu, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    result = simgpu.run(PREAMBLE + TRAINING, folder)
    window = told(result)["window"]
    return chrome_trace.Trace(folder / "trace.json"), within(result.truth, window), result.truth


def test_a_training_step_is_traced_as_it_was(training):
    traced, operations, _ = training
    chrome_trace.assert_agrees(traced, operations)


def test_it_has_copies_of_each_sort_and_kernels_on_two_streams(training):
    traced, _, _ = training
    names = {event["name"] for event in traced.device if event["cat"] == chrome_trace.COPIES}
    assert {sides for (kind, _), sides in chrome_trace.SIDES.items() if kind != "copy_peer"} == names
    assert len({event["args"]["stream"] for event in traced.device if event["cat"] == chrome_trace.KERNELS}) == 2
    assert len({call["tid"] for call in traced.calls if call["name"] in chrome_trace.LAUNCHES}) == 2  # autograd's thread, too


def test_what_was_not_profiled_is_not_in_the_trace(training):
    traced, operations, truth = training
    assert len(traced.device) == len(operations) < len(truth.operations)


def test_the_comparison_can_fail(training):
    traced, operations, _ = training
    with pytest.raises(AssertionError):
        chrome_trace.assert_agrees(traced, operations[1:])
    event = traced.device[len(traced.device) // 2]
    event["ts"] += 2
    try:
        with pytest.raises(AssertionError):
            chrome_trace.assert_agrees(traced, operations)
    finally:
        event["ts"] -= 2


GRAPH = """
model = torch.nn.Linear(512, 512).cuda()
batch = torch.randn(64, 512, device="cuda")
model(batch).sum()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(5):
        out = model(batch).relu()
    total = out.sum()


def replays():
    for _ in range(3):
        graph.replay()


told(window=traced("trace.json", replays))
"""


def test_kernels_of_a_graph_replay_belong_to_its_launch(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + GRAPH, tmp_path)
    traced, window = chrome_trace.Trace(tmp_path / "trace.json"), told(result)["window"]
    operations = within(result.truth, window)
    chrome_trace.assert_agrees(traced, operations)
    assert {event["args"]["graph id"] for event in traced.device} == {operations[0].graph} != {0}
    launches = [call for call in traced.calls if call["name"] == "cudaGraphLaunch"]
    nodes = len(traced.device) // 3
    assert len(launches) == 3 and len(traced.device) == 3 * nodes
    assert len({event["args"]["graph node id"] for event in traced.device}) == nodes


TWO_DEVICES = """
models = [torch.nn.Linear(512, 512, device=device) for device in ("cuda:0", "cuda:1")]


def both():
    for _ in range(3):
        first = models[0](torch.randn(64, 512).to("cuda:0"))
        models[1](first.to("cuda:1")).sum().backward()
        models[1](torch.randn(64, 512).to("cuda:1"))


both()
told(window=traced("trace.json", both))
"""


def test_two_devices_and_copies_between_them(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + TWO_DEVICES, tmp_path, devices=2)
    traced, window = chrome_trace.Trace(tmp_path / "trace.json"), told(result)["window"]
    chrome_trace.assert_agrees(traced, within(result.truth, window))
    assert {event["args"]["device"] for event in traced.device} == {0, 1}
    assert any(event["name"] == "Memcpy PtoP (Device -> Device)" for event in traced.device)


SCHEDULE = """
model = torch.nn.Linear(512, 512).cuda()
windows, begin = [], [0]


def step():
    model(torch.randn(64, 512).cuda()).sum().backward()
    torch.cuda.synchronize()


def keep(profiler):
    profiler.export_chrome_trace("%s/%d.json" % (FOLDER, len(windows)))
    windows.append([begin[0], end])


schedule = torch.profiler.schedule(wait=2, warmup=1, active=3, repeat=2)
with profile(activities=BOTH, schedule=schedule, on_trace_ready=keep) as profiler:
    for number in range(13):
        if schedule(number).name == "RECORD" and schedule(number - 1).name == "WARMUP":
            begin[0] = time.monotonic_ns()
        step()
        end = time.monotonic_ns()
        profiler.step()
windows.append(traced("2.json", step))  # and once more, without a schedule
told(windows=windows)
"""


def test_a_schedule_traces_its_active_steps_and_so_does_the_next_profile(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + SCHEDULE, tmp_path)
    windows = told(result)["windows"]
    assert len(windows) == 3
    for number, window in enumerate(windows):
        traced = chrome_trace.Trace(tmp_path / ("%d.json" % number))
        chrome_trace.assert_agrees(traced, within(result.truth, window))
        assert sum("HtoD" in event["name"] for event in traced.device) == (3, 3, 1)[number]


THREADS = """
import threading

models = [torch.nn.Linear(256, 256).cuda() for _ in range(4)]


def one(model):
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(20):
            model(torch.randn(8, 256).cuda()).sum().backward()


def together():
    threads = [threading.Thread(target=one, args=[model]) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


together()
told(window=traced("trace.json", together))
"""


def test_threads_with_streams_of_their_own_lose_and_double_nothing(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + THREADS, tmp_path)
    pairs = chrome_trace.assert_agrees(chrome_trace.Trace(tmp_path / "trace.json"), within(result.truth, told(result)["window"]))
    assert len({operation.stream for _, operation in pairs}) >= 4


FORK = """
model = torch.nn.Linear(256, 256).cuda()


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((256,), float(index))


def epoch():
    for batch in torch.utils.data.DataLoader(Data(), batch_size=8, num_workers=2, multiprocessing_context="fork"):
        model(batch.cuda()).sum()


told(window=traced("trace.json", epoch))
"""


def test_forked_workers_leave_the_profile_as_it_is(simgpu, tmp_path):
    result = simgpu.run(PREAMBLE + FORK, tmp_path)
    traced = chrome_trace.Trace(tmp_path / "trace.json")
    chrome_trace.assert_agrees(traced, within(result.truth, told(result)["window"]))
    assert sum(event["name"].startswith("Memcpy HtoD") for event in traced.device) == 4
