"""What is declared of each knob: Generated from schema/knobs.toml by tools/gen_knobs.py. Do not edit."""

from typing import NamedTuple, Tuple, Union


class Declared(NamedTuple):
    at: str  # where it is set: loader, batches, process or forward
    module: str  # of this folder
    kind: str  # the class in it
    value: str  # switch, on, count, word or parts
    takes: Tuple[Union[int, str], ...]  # least and most of a number, or the words
    switched: str  # live, loader or restart: how it is set while the program runs
    variables: Tuple[str, ...] = ()  # of the environment, that set it before the program starts
    text: str = ""  # what they hold, {} = the value


# Of each place in the order in which the knobs are set there: each may need the one before it, and
# the last around a forward is the innermost.
TABLE = {
    "dataloader.engine": Declared(
        at="loader",
        module="engine",
        kind="LoadingEngine",
        value="word",
        takes=("torch", "native"),
        switched="loader",
    ),
    "dataloader.cache": Declared(
        at="loader",
        module="cache",
        kind="Cache",
        value="word",
        takes=("none", "encoded", "decoded"),
        switched="loader",
    ),
    "dataloader.num_workers": Declared(
        at="loader",
        module="num_workers",
        kind="NumWorkers",
        value="count",
        takes=(0, 1024),
        switched="loader",
    ),
    "dataloader.prefetch_factor": Declared(
        at="loader",
        module="prefetch_factor",
        kind="PrefetchFactor",
        value="count",
        takes=(1, 1024),
        switched="loader",
    ),
    "dataloader.persistent_workers": Declared(
        at="loader",
        module="persistent_workers",
        kind="PersistentWorkers",
        value="switch",
        takes=(),
        switched="loader",
    ),
    "dataloader.pin_memory": Declared(
        at="loader",
        module="pin_memory",
        kind="PinMemory",
        value="switch",
        takes=(),
        switched="loader",
    ),
    "batch.size": Declared(
        at="batches",
        module="batch_size",
        kind="BatchSize",
        value="count",
        takes=(1, 16777216),
        switched="restart",
    ),
    "batch.accumulate": Declared(
        at="batches",
        module="accumulate",
        kind="Accumulate",
        value="parts",
        takes=(1, 65536),
        switched="restart",
    ),
    "env.intraop_threads": Declared(
        at="process",
        module="intraop_threads",
        kind="IntraopThreads",
        value="count",
        takes=(1, 4096),
        switched="live",
        variables=("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
        text="{}",
    ),
    "cuda.cudnn_benchmark": Declared(
        at="process",
        module="cudnn_benchmark",
        kind="CudnnBenchmark",
        value="switch",
        takes=(),
        switched="live",
    ),
    "precision.tf32": Declared(
        at="process",
        module="tf32",
        kind="Tf32",
        value="switch",
        takes=(),
        switched="live",
    ),
    "optimizer.fused": Declared(
        at="process",
        module="fused",
        kind="Fused",
        value="on",
        takes=(),
        switched="live",
    ),
    "alloc.expandable_segments": Declared(
        at="process",
        module="expandable_segments",
        kind="ExpandableSegments",
        value="switch",
        takes=(),
        switched="restart",
        variables=("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"),
        text="expandable_segments:{}",
    ),
    "dataloader.non_blocking": Declared(
        at="process",
        module="non_blocking",
        kind="NonBlocking",
        value="on",
        takes=(),
        switched="live",
    ),
    "attention.sdpa": Declared(
        at="forward",
        module="sdpa",
        kind="Sdpa",
        value="on",
        takes=(),
        switched="live",
    ),
    "kernels.liger": Declared(
        at="forward",
        module="liger",
        kind="Liger",
        value="on",
        takes=(),
        switched="restart",
    ),
    "kernels.hf": Declared(
        at="forward",
        module="hub_kernels",
        kind="HubKernels",
        value="on",
        takes=(),
        switched="live",
    ),
    "layout.channels_last": Declared(
        at="forward",
        module="channels_last",
        kind="ChannelsLast",
        value="on",
        takes=(),
        switched="live",
    ),
    "precision.bf16": Declared(
        at="forward",
        module="bf16",
        kind="Bf16",
        value="on",
        takes=(),
        switched="live",
    ),
    "precision.fp16": Declared(
        at="forward",
        module="fp16",
        kind="Fp16",
        value="on",
        takes=(),
        switched="restart",
    ),
    "compile.mode": Declared(
        at="forward",
        module="compiled",
        kind="CompileMode",
        value="word",
        takes=("default", "reduce-overhead"),
        switched="live",
    ),
}
