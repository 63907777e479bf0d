"""Simulated cuBLAS and cuBLASLt under the real PyTorch: times by FLOPs, bytes and types."""

import pytest
from measured import H100_BYTES_PER_S, MEMORY_EFFICIENCY, PREAMBLE, h100_ms, told

PRODUCTS = """
times = {}
for name, dtype in DTYPES.items():
    torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
    a = torch.empty(4096, 2048, device="cuda", dtype=dtype)
    b = torch.empty(2048, 8192, device="cuda", dtype=dtype)
    times[name] = device_ms(lambda: torch.mm(a, b))
    stack = torch.empty(16, 1024, 1024, device="cuda", dtype=dtype)
    times[name + " batched"] = device_ms(lambda: torch.bmm(stack, stack))
told(**times)
"""


@pytest.fixture(scope="module")
def products(simgpu):
    return told(simgpu.run(PREAMBLE + PRODUCTS))


@pytest.mark.parametrize("dtype", ["f64", "f32", "tf32", "bf16", "f16"])
def test_a_product_takes_2mnk_at_the_rate_of_its_type(products, dtype):
    assert products[dtype] == pytest.approx(h100_ms(2 * 4096 * 2048 * 8192, dtype), rel=0.01)
    assert products[dtype + " batched"] == pytest.approx(h100_ms(2 * 16 * 1024**3, dtype), rel=0.01)


FORBIDDEN = """
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.benchmark = True
a = torch.empty(4096, 4096, device="cuda")
x = torch.empty(64, 64, 64, 64, device="cuda")
w = torch.empty(64, 64, 3, 3, device="cuda")
told(product=device_ms(lambda: torch.mm(a, a)), convolution=device_ms(lambda: torch.conv2d(x, w, padding=1)))
"""


def test_the_environment_forbids_tf32_to_both_libraries(simgpu):
    times = told(simgpu.run(PREAMBLE + FORBIDDEN, env={"NVIDIA_TF32_OVERRIDE": "0"}))
    assert times["product"] == pytest.approx(h100_ms(2 * 4096**3, "f32"), rel=0.01)
    assert times["convolution"] == pytest.approx(h100_ms(2 * 64 * 64 * 64 * 64 * 64 * 9, "f32"), rel=0.01)


def test_tensor_cores_are_faster(products):
    assert products["f32"] > 5 * products["tf32"] > 8 * products["bf16"]


LINEAR = """
x = torch.empty(8192, 4096, device="cuda", dtype=torch.bfloat16, requires_grad=True)
layer = torch.nn.Linear(4096, 4096, device="cuda", dtype=torch.bfloat16)
plain = torch.nn.Linear(4096, 4096, bias=False, device="cuda", dtype=torch.bfloat16)
vector = torch.empty(4096, device="cuda")
matrix = torch.empty(65536, 4096, device="cuda")
torch.backends.cuda.matmul.allow_tf32 = True
single = torch.nn.Linear(4096, 4096, device="cuda")
x32 = x.detach().float()
with torch.no_grad():
    told(
        tf32=device_ms(lambda: single(x32)),
        bias=device_ms(lambda: layer(x)),
        plain=device_ms(lambda: plain(x)),
        gelu=device_ms(lambda: torch._addmm_activation(layer.bias, x, layer.weight.t(), use_gelu=True)),
        vector=device_ms(lambda: torch.mv(matrix, vector)),
    )
"""


def test_a_bias_is_part_of_its_product_and_vectors_are_bound_by_memory(simgpu):
    times = told(simgpu.run(PREAMBLE + LINEAR))
    product = h100_ms(2 * 8192 * 4096 * 4096, "bf16")
    assert times["plain"] == pytest.approx(product, rel=0.01)
    assert times["bias"] == pytest.approx(product, rel=0.01)
    assert times["gelu"] == pytest.approx(product, rel=0.01)
    assert times["tf32"] == pytest.approx(h100_ms(2 * 8192 * 4096 * 4096, "tf32"), rel=0.01)
    reading_ms = 1e3 * 65536 * 4096 * 4 / (H100_BYTES_PER_S * MEMORY_EFFICIENCY)
    assert times["vector"] == pytest.approx(reading_ms, rel=0.02)


TYPES_OF_A_T4 = """
times = {}
for name in ("f32", "bf16", "f16"):
    a = torch.empty(4096, 4096, device="cuda", dtype=DTYPES[name])
    times[name] = device_ms(lambda: torch.mm(a, a))
torch.backends.cuda.matmul.allow_tf32 = True
a = torch.empty(4096, 4096, device="cuda")
told(tf32=device_ms(lambda: torch.mm(a, a)), **times)
"""


def test_a_device_without_a_type_computes_it_at_the_rate_of_f32(simgpu):
    times = told(simgpu.run(PREAMBLE + TYPES_OF_A_T4, device="t4"))
    assert times["tf32"] == pytest.approx(times["f32"], rel=0.01)
    assert times["bf16"] == pytest.approx(times["f32"], rel=0.01)
    assert times["f16"] < times["f32"] / 5


STREAMS = """
side = torch.cuda.Stream()
a = torch.empty(8192, 8192, device="cuda")
torch.mm(a, a)
with torch.cuda.stream(side):
    torch.mm(a, a)
torch.cuda.synchronize()
here, there = torch.cuda.Event(), torch.cuda.Event()
with torch.cuda.stream(side):
    torch.mm(a, a)
    there.record()
here.record()
here.synchronize()
told(side_is_done=there.query())
"""


def test_a_product_runs_on_the_stream_that_the_handle_was_given(simgpu):
    assert told(simgpu.run(PREAMBLE + STREAMS)) == {"side_is_done": False}


NO_WAIT = """
a = torch.empty(8192, 8192, device="cuda", dtype=torch.bfloat16)
layer = torch.nn.Linear(8192, 8192, device="cuda", dtype=torch.bfloat16)
layer(a).backward(a)
torch.cuda.synchronize()
begin = time.perf_counter()
for _ in range(5):
    layer(a).backward(a)
    torch.bmm(a[None], a[None])
host = time.perf_counter() - begin
torch.cuda.synchronize()
told(host_s=host, all_s=time.perf_counter() - begin)
"""


def test_the_host_never_waits(simgpu):
    times = told(simgpu.run(PREAMBLE + NO_WAIT, slower=30))
    assert times["all_s"] > 0.8  # 15 products of 1.85 ms, 30 times slower
    assert times["host_s"] < 0.5 * times["all_s"]


SCALARS = """
import ctypes

blas = ctypes.CDLL("libcublas.so.13")
runtime = ctypes.CDLL("libcudart.so.13")
handle = ctypes.c_void_p()
assert blas.cublasCreate_v2(ctypes.byref(handle)) == 0
memory = ctypes.c_void_p()
assert runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 30)) == 0
one = ctypes.c_float(1)


def product(m, lda, n=64):
    return blas.cublasSgemm_v2(handle, 0, 0, m, n, n, ctypes.byref(one), memory, lda, memory, n, ctypes.byref(one), memory, max(m, 1))


def multiply_f8():
    e4m3 = 28
    return blas.cublasGemmEx(handle, 0, 0, 64, 64, 64, ctypes.byref(one), memory, e4m3, 64, memory, e4m3, 64, ctypes.byref(one), memory, 0, 64, 68, -1)


def host_dot():
    result = ctypes.c_float(7)
    assert product(8192, 8192, 8192) == 0
    begin = time.perf_counter()
    assert blas.cublasSdot_v2(handle, 1024, memory, 1, memory, 1, ctypes.byref(result)) == 0
    return time.perf_counter() - begin


told(fits=product(64, 64), short=product(64, 63), negative=product(-1, 64), empty=product(0, 64), f8=multiply_f8(), dot_s=host_dot())
"""


def test_statuses_are_those_of_the_library_and_a_scalar_for_the_host_waits(simgpu):
    seen = told(simgpu.run(PREAMBLE + SCALARS))
    waited = seen.pop("dot_s")
    assert seen == {"fits": 0, "short": 7, "negative": 7, "empty": 0, "f8": 15}
    assert waited > 0.02  # a product of 27 ms lies before it


GPT2 = """
from transformers import GPT2Config, GPT2LMHeadModel

model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=256, n_head=4)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
tokens = torch.randint(0, 50257, (4, 256), device="cuda")
for _ in range(3):
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
told(steps=3)
"""


def test_gpt2_trains(simgpu):
    assert told(simgpu.run(PREAMBLE + GPT2)) == {"steps": 3}
