#include "cli/help_texts.h"

#include <array>
#include <utility>

namespace flatout::cli {
namespace {

constexpr std::string_view kFlatout = R"(Start with:
  flatout run -- python train.py      records, and explains at the end
  flatout report                      the same explanation again
  flatout tune -- python train.py     finds the settings that are faster
  flatout compare before after        what a change has gained
  flatout help VERB                   all that a verb can do

RUN is an id (k7f2), the unique beginning of one, a --name (its newest run), or
latest: what you started last, never a trial. The id of a tune or search is that
of its first run. Exit status: 0, 1 when something could not be done, 2 for a
command line that makes no sense; run ends as the program ends, with 0 where
--stop-after ended it.)";

constexpr std::string_view kRun =
    R"(Starts CMD as it is: same arguments, terminal, output and exit status. Records
steps and phases of PyTorch programs, the loader, processes, host and GPUs, and
at the end says why the device waits. What flatout itself has to say goes to
stderr. Ctrl-C reaches the program as without flatout; the report comes after.
The exit status is the program's, or 0 where --stop-after ended it. Everything
after -- belongs to the program.

Examples:
  flatout run -- python train.py --lr 0.1
  flatout run --name workers8 --stop-after 300 -- python train.py
  flatout run --quiet --json report.json -- torchrun --nproc_per_node=2 train.py
  flatout run --capture wandb -- python train.py     what it logs, too
  flatout run --rules-off epoch_gap,checkpoint_stall -- python train.py)";

constexpr std::string_view kTop =
    R"(Shows a running run on one screen: verdict so far, steps and their phases, the
loader, devices, what the program logs, processes. Steps, loader and verdict are
of the last two minutes. Of a process that flatout did not start, and of the
machine, it shows what can be seen from outside: devices, CPU, memory, I/O; where
its Python is, py-spy dump --pid PID says.

Keys: q quit, h help, s sort, p pause, arrows scroll; the mouse sorts and
scrolls. --once prints the screen, --json flatout.top/1, a line an interval.
Where stdout is no terminal, it is printed once.

Examples:
  flatout top
  flatout top k7f2
  flatout top 4711 --interval 0.5
  flatout top --once --json | jq .steps.per_s)";

constexpr std::string_view kTune =
    R"(Runs CMD as it is, twice or more, then again with one setting changed at a
time, and keeps what is faster for sure and trains the same. Each trial ends at
the close of its last step and runs in a throwaway overlay (or copy) of this
folder, of your home folder and of data disks; what a trial writes elsewhere
lasts, and is listed. CMD is not edited. What was kept goes into a plan, which
flatout run --plan applies. Ctrl-C ends it with what was proved until then; it
goes on with --resume. Every trial is a recorded run: flatout ls --tree.

Examples:
  flatout tune -- python train.py
  flatout tune -b 10m -k num_workers,prefetch_factor -- python train.py
  flatout tune --resume                        after Ctrl-C
  flatout tune --knob workers='--workers={0..12}' --loss 'loss ([0-9.]+)' \
      -- ./train
  flatout run --plan flatout.toml -- python train.py
  flatout tune --explain flatout.toml          the lines to change by hand)";

constexpr std::string_view kAccuracy =
    R"(Each tune leaves what it predicted and what it measured with its first run.
Over all tunes of the store: the median of |predicted / measured - 1|, whether
predictions are too high or too low, the worst, and how often the measured gain
lay in the predicted interval, knob by knob. Removing the first run of a tune
(flatout rm) removes its part.

Examples:
  flatout accuracy
  flatout accuracy --json | jq .all.median_error)";

constexpr std::string_view kUi =
    R"(Serves a page over every recorded and running run until Ctrl-C, and the HTTP API
under it (docs/api.md). It is for you alone: it listens on 127.0.0.1, and the
address that it prints holds a token that is new each time. Nothing is loaded
from elsewhere. On a machine that you reach by ssh, forward the port:
ssh -L 8080:127.0.0.1:8080 HOST, and start it there with --port 8080.
Prometheus, which reads /metrics, needs a token that stays: --token-file FILE
makes one, mode 0600, or takes the one that is there (docs/grafana.md).

Examples:
  flatout ui
  flatout ui --port 8080 --no-open
  flatout ui --port 9400 --no-open --token-file ~/.config/flatout/token)";

constexpr std::string_view kSearch =
    R"(Draws points from SPACE, a TOML file of arguments, variables and knobs with the
values that each may take, and runs CMD with them for some steps. The best third
goes on to more steps, again from the beginning (ASHA). At the end the best one
is run again, in turns with CMD as it is, and its command line is shown. Trials
end at the close of their last step, in a throwaway overlay (or copy) of this
folder, of your home folder and of data disks; what a trial writes elsewhere
lasts. Ctrl-C ends it with the best so far; the same command with --resume goes
on. Every trial is a recorded run: flatout ls --tree.

Examples:
  flatout search space.toml -- python train.py
  flatout search space.toml --slots 2 --budget 30m -- ./train --epochs 3
  flatout search space.toml --launcher slurm --slurm "-p gpu --gpus=1" \
      --slots 4 -- python train.py

A space (docs/search.md has all of it):
  [search]
  objective = "samples_per_s"      # or "device_busy", "log:NAME"
  steps = [20, 60, 180]
  [arguments]
  "--workers" = {values = [0, 2, 4]}
  "--lr" = {from = 1e-4, to = 1e-1, scale = "log"}
  [environment]
  OMP_NUM_THREADS = {values = [1, 2]})";

constexpr std::string_view kLs =
    R"(A tune or search is one entry, with the time and size of all its runs; --all
shows its trials below it.
Columns: id, name, state, start (local time), duration, size on disk, verdict,
tags, command; on a terminal that is too narrow for all, size, tags, duration
and start go first. In JSON every run is listed: trials have a parent. States:
running; finished (exit 0); failed (any other exit); killed (by a signal, Ctrl-C
included); lost (flatout itself was killed); damaged (its recording cannot be
read).

Examples:
  flatout ls --tag baseline
  flatout ls --name 'workers*' --state finished
  flatout ls --format json | jq '.runs[] | select(.parent | not) | .id')";

constexpr std::string_view kShow =
    R"(Prints what was recorded, not what it means (that is flatout report): command,
folder, times, machine, versions, devices; the settings seen in the program
(loader, optimizer, precision, model, ranks); limits of CPU and memory; tags and
note; files and their size; and every recorded series with its range.

Examples:
  flatout show latest
  flatout show k7f2 --format json | jq .config)";

constexpr std::string_view kLogs =
    R"(Lines of stdout and stderr in the order of their time, of several processes
each behind its number. Recorded is what Python writes: by flatout run
--record-output, and of a script that logs through flatout.track (or --capture
wandb, neptune) unless its console is "off". What a C library writes to the
descriptors itself is not seen. Of a line that was rewritten (a progress bar)
the last state is printed. Escape sequences are left out.

Without RUN: the latest. --follow prints what is there, or the last lines by
--tail, then each line once it is finished; on a terminal the line under way
stands below. It ends with the run, or by Ctrl-C.

Examples:
  flatout logs --follow --tail 20
  flatout logs k7f2 --times --contains loss
  flatout logs k7f2 --stream stderr > errors.txt)";

constexpr std::string_view kReport =
    R"(Without RUN: the latest. Works also while the run goes on. The id of a tune or
search gives what it found; --format json and html then are of its first run,
and flatout.tune/1 is in the file of flatout tune --json.
The figures cover the steady steps, after
warm-up. JSON is flatout.report/1 (schema/report.schema.json). HTML is one file
with charts that needs no network; on a terminal it goes to flatout-<id>.html in
this folder. Each finding has a page under docs/findings/.

Examples:
  flatout report
  flatout report k7f2 --format json | jq .verdict
  flatout report k7f2 --format html --out k7f2.html
  flatout report k7f2 --rules-off input_bound     judge without that rule)";

constexpr std::string_view kAnalyze =
    R"(Reads a trace that torch.profiler wrote (export_chrome_trace, or the handler of
TensorBoard) or that Nsight Systems exported (nsys export --type sqlite), and
explains it as flatout report explains a run: how busy the device was, what it
idled for, kernels, copies and collectives; and where the trace has the
profiler's steps or an optimizer, steps and phases. Needs no Python and no GPU.
Of JSON that ends early what is there is explained.

Several files are the traces of the ranks of one job: the first is explained,
with a line for each rank, and for which of them the others wait in collectives.

--format perfetto writes a file for ui.perfetto.dev: threads and streams of the
trace with an arrow from each launch, and beside them steps, phases, and why
each device idles when. On a terminal it goes to flatout-trace.perfetto.json in
this folder.

Examples:
  flatout analyze trace.json.gz
  flatout analyze report.sqlite
  flatout analyze traces/rank*.json.gz
  flatout analyze trace.json --format json | jq '.devices[0].idle_account'
  flatout analyze trace.json.gz --format perfetto --out seen.json)";

constexpr std::string_view kCompare =
    R"(The first run is the baseline; each of the others is held against it: speedup,
step times, throughput, phases, device busy, findings that came or went, and
what differs in settings, versions and machine. Files of traces are compared
like runs; where both sides have a kernel trace, idle causes, classes of kernels
and kernels are held against each other, by the step.

The speedup is the ratio of the mean steady step times (of samples/s where the
batch size differs). Its 95 % interval comes from a moving-block bootstrap of
the steady steps of both runs, which respects that neighbouring steps are alike.
Where the interval spans 1, no difference was shown. The interval knows nothing
of what changes from run to run (other load, other clocks): repeat both runs
before you trust a small gain. What makes the comparison unfair is warned of.

Examples:
  flatout compare baseline latest
  flatout compare baseline latest --format html --out compare.html
  flatout compare before.json.gz after.json.gz
  flatout compare k7f2 m3qa x5ty --format json | jq '.runs[].speedup')";

constexpr std::string_view kCheck =
    R"(Exit status: 0 when every line of the budget is kept, 1 when one is not, 2 when
nothing could be checked (no such run, a budget that makes no sense). A figure
that was not measured is not kept, unless its line says optional = true. Lines
of [baseline] are held against --baseline by 95 % intervals, as flatout compare
has them: a run fails only where it is proved worse than allowed, or, with
strict = true, where it is not proved to be within. With --out the file gets the
format and stdout the text.

Examples:
  flatout check latest --budget budget.toml
  flatout check latest --budget budget.toml --baseline main
  flatout check latest -b budget.toml --format junit --out check.xml

A budget (docs/check.md has all of it):
  [limits]
  device.busy = {min = "85 %"}
  step.median_ms = {max = 120}
  phase.data_wait = {max = 0.1}
  device.memory_bytes = {max = "70 GB", optional = true}
  [values]
  "train/loss" = {max = 0.3}
  [run]
  states = ["finished"]
  no_findings = ["input_bound"]
  [baseline]
  step.mean_ms = {worse_by = "5 %"})";

constexpr std::string_view kExport =
    R"(Writes one file a table into a folder: steps (one row a step, with its phases),
series (one row a reading), batches (one row a batch that a loader fetched) and
values (what the program logged, with its steps). Times are seconds since the
run's start, and RFC 3339 in UTC. An empty cell was not measured. Columns are
explained in docs/commands.md. Files that are there already are never replaced
without --force.

--format perfetto writes trace.perfetto.json instead, for ui.perfetto.dev:
steps, phases, batches of loader workers, and readings as counters.

--format otlp writes metrics.otlp.jsonl, which an OpenTelemetry Collector reads
(otlpjsonfile): readings, steps and values, with the verdict as attributes.

Parquet needs a Python with pyarrow. The first of these that has it is taken:
$FLATOUT_PYTHON, $VIRTUAL_ENV/bin/python3, $CONDA_PREFIX/bin/python3, python3 on
the PATH.

Examples:
  flatout export latest                            flatout-k7f2/steps.csv, ...
  flatout export k7f2 --format parquet --out data --force)";

constexpr std::string_view kImport =
    R"(Stores runs that other trackers wrote to files, one each, so that they stand
beside yours in ls, show, check and ui: numbers with step and time, config,
summary, text, pictures, and how they ended. The files are only read.

  TensorBoard   events.out.tfevents.*; a folder with such files is a run
  wandb         run-*.wandb of an offline run, as below wandb/
  MLflow        a folder with meta.yaml, params/, metrics/, as below mlruns/
  Neptune       *_part_N.parquet of neptune-exporter, with files/ beside data/;
                needs a Python with pyarrow, found as export finds it

What was imported from the same place before is left alone; --again imports it
once more. What cannot be taken is said, a line each.

Examples:
  flatout import runs/ wandb/ mlruns/ exports/
  flatout import wandb/offline-run-20260101_120000-3k2f9x1c --format json)";

constexpr std::string_view kTag =
    R"(A tag is 1 to 64 bytes without commas and control characters, and no blank at
either end. ls shows tags, also those that the script set, and filters by them;
rm --older-than --keep-tagged leaves tagged runs.

Examples:
  flatout tag latest baseline resnet50
  flatout tag k7f2 --remove baseline)";

constexpr std::string_view kNote =
    R"(One note a run; a new one replaces it, "" removes it. flatout show prints it.

Examples:
  flatout note latest "first run on the new node"
  flatout note k7f2 "")";

constexpr std::string_view kRm =
    R"(Asks nothing. A tune or search goes with all of its trials; a trial may go
alone. Never removes a run that is still running. AGE is a whole number
and m, h, d or w; it counts from the end of a run. Runs whose recording cannot
be read have no age: remove these by id.

Examples:
  flatout rm k7f2 m3qa
  flatout rm --older-than 30d --keep-tagged --dry-run
  flatout rm --older-than 30d --keep-tagged)";

constexpr std::string_view kDoctor =
    R"(ok: there; --: not there, and what is lost without it; NO: runs cannot be
recorded, and what to do. Exit status 1 with any NO.)";

constexpr std::string_view kCompletions =
    R"end(Where your shell does not find those that are installed beside flatout:

  eval "$(flatout completions bash)"                   in ~/.bashrc
  flatout completions zsh > ~/.zfunc/_flatout          a folder of $fpath
  flatout completions fish > ~/.config/fish/completions/flatout.fish)end";

constexpr std::string_view kManual =
    R"(Examples:
  flatout manual | man -l -
  flatout manual > ~/.local/share/man/man1/flatout.1)";

constexpr std::string_view kBench =
    R"(Loads every sample with flatout's own engine (docs/data.md) and does nothing
with it: once to warm up, then --epochs times. Says how many samples a second
came, which stage of loading a thread's time goes into, and how many there could
be at most (the ceiling). A training loop that takes fewer is not held up by
this loader; one that could take more needs more CPUs, smaller files, or fewer
transforms. Without --spec: RandomResizedCrop, flip and normalize to float32.

Examples:
  flatout bench data train/
  flatout bench data train/ --size 160 --threads 8 --format json
  flatout bench data --spec loader.json --epochs 10)";

constexpr std::string_view kPack =
    R"(Rewrites a set once, so that each epoch loads it in less time; docs/data.md says
what each kind is and changes. SRC is a folder with one folder of images a
class, tar files as WebDataset writes them, or a folder of those; compressed
ones (.tar.gz, .tar.zst) are unpacked into --unpack FOLDER first. DST is read by
flatout.data.packed(DST), and by "packed" in a loader's description.

What was interrupted, also by a kill, goes on with the same command: finished
shards are kept where their checksums are right. Files that are no good are left
out and named; the exit status is 1 then, and the rest is packed.

Examples:
  flatout pack train/ packed/
  flatout pack train/ packed-raw/ --kind raw --size 256
  flatout pack train-*.tar packed/ --quality 85 --shard-mb 512
  flatout bench data packed/)";

constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kTexts = {{
    {"", kFlatout},
    {"run", kRun},
    {"top", kTop},
    {"tune", kTune},
    {"accuracy", kAccuracy},
    {"search", kSearch},
    {"ls", kLs},
    {"show", kShow},
    {"logs", kLogs},
    {"report", kReport},
    {"analyze", kAnalyze},
    {"compare", kCompare},
    {"check", kCheck},
    {"export", kExport},
    {"tag", kTag},
    {"note", kNote},
    {"rm", kRm},
    {"pack", kPack},
    {"bench", kBench},
    {"doctor", kDoctor},
    {"completions", kCompletions},
    {"manual", kManual},
    {"ui", kUi},
    {"import", kImport},
}};

}  // namespace

std::string_view help_text(std::string_view verb) {
  for (const auto& [name, text] : kTexts) {
    if (name == verb) return text;
  }
  return {};
}

}  // namespace flatout::cli
