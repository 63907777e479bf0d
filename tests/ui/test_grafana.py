"""docs/grafana/flatout.json beside a real /metrics: the dashboard is one, its queries are PromQL, and what they name is there."""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import make_store
import promql_parser
import pytest
from prometheus_client.openmetrics import parser as openmetrics
from harness import wait_for
from ui_server import UiServer

import harness

DASHBOARD = json.loads((harness.ROOT / "docs/grafana/flatout.json").read_text())
OPEN = {"Accept": "application/openmetrics-text;version=1.0.0"}
OF_PROMETHEUS = {"instance", "job"}  # it adds these labels itself


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A server over a run that goes on."""
    home = tmp_path_factory.mktemp("home")
    run = make_store.made_up_store("live", home, 120)
    try:
        run.stdout.readline()
        with UiServer(home, "--token-file", str(home / "token")) as server:
            wait_for(lambda: b"flatout_steps_total{" in server.ask("/metrics")[2] and b"hw_temperature_celsius{" in server.ask("/metrics")[2])
            yield server
    finally:
        run.kill()
        run.wait()


def queries():
    """(panel, query) with what Grafana puts in its place."""
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$run", ".*")


def parts_of(node):
    yield node
    for name in ("lhs", "rhs", "expr", "vector_selector", "vs"):
        inner = getattr(node, name, None)
        if inner is not None:
            yield from parts_of(inner)
    for inner in getattr(node, "args", None) or ():
        yield from parts_of(inner)


def families(server):
    """Labels of each sample of a real page, by its name."""
    status, headers, body = server.ask("/metrics", headers=OPEN)
    assert status == 200 and headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    found = {}
    for family in openmetrics.text_string_to_metric_families(body.decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def test_what_each_query_names_is_there(live):
    there = families(live)
    seen = set()
    for panel, query in queries():
        for part in parts_of(promql_parser.parse(query)):
            if isinstance(part, promql_parser.VectorSelector):
                seen.add(part.name)
                assert part.name in there, f"{panel}: {part.name} is not in /metrics"
                for matcher in part.matchers.matchers:
                    assert matcher.name in there[part.name], f"{panel}: {part.name} has no label {matcher.name}"
            if isinstance(part, promql_parser.AggregateExpr) and part.modifier is not None:
                inner = [one.name for one in parts_of(part.expr) if isinstance(one, promql_parser.VectorSelector)]
                for label in part.modifier.labels:
                    assert any(label in there[name] | OF_PROMETHEUS for name in inner), f"{panel}: nothing has the label {label}"
    assert len(seen) >= 8, seen
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                assert any(label in labels for labels in there.values()), f"{panel['title']}: no metric has the label {label}"
    assert [variable["query"]["query"] for variable in DASHBOARD["templating"]["list"] if variable["name"] == "run"] == ["label_values(flatout_run_info, run)"]


def lost_in(mine, theirs, path=""):
    if isinstance(mine, dict):
        for key, value in mine.items():
            if not isinstance(theirs, dict) or key not in theirs:
                yield f"{path}/{key}"
            else:
                yield from lost_in(value, theirs[key], f"{path}/{key}")
    elif isinstance(mine, list):
        if not isinstance(theirs, list) or len(mine) != len(theirs):
            yield path
        else:
            for at, (one, other) in enumerate(zip(mine, theirs)):
                yield from lost_in(one, other, f"{path}[{at}]")
    elif mine != theirs:
        yield f"{path}: {mine!r} became {theirs!r}"


def test_grafana_knows_all_that_the_dashboard_says():
    """Read and written again by the types that Grafana makes of its schemas, nothing is lost."""
    from grafana_foundation_sdk.cog import encoder, plugins
    from grafana_foundation_sdk.models import dashboard

    plugins.register_default_plugins()
    again = json.loads(encoder.JSONEncoder().encode(dashboard.Dashboard.from_json(DASHBOARD)))
    assert list(lost_in(DASHBOARD, again)) == []
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells


def test_the_page_in_both_formats(live):
    status, headers, text = live.ask("/metrics")
    assert status == 200 and headers["content-type"].startswith("text/plain; version=0.0.4") and not text.endswith(b"# EOF\n")
    assert families(live)["flatout_steps_total"] == {"run", "run_name"}


@pytest.mark.slow  # not for its time: only make test-slow installs prometheus
def test_promtool_has_nothing_to_say(live):
    if shutil.which("promtool") is None:
        pytest.skip("no promtool here: Debian's package prometheus has it")
    text = live.ask("/metrics")[2]
    said = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
    wrong = [line for line in (said.stdout + said.stderr).decode().splitlines() if not line.startswith("DCGM_FI_")]
    assert wrong == [], "names of NVIDIA's are theirs; all others are to be right"


def test_otlp_is_what_opentelemetry_reads(live, tmp_path):
    packages = harness.ROOT / "build/trackers"
    if not (packages / "opentelemetry/semconv").is_dir():
        pytest.skip("no OpenTelemetry here: `make test` fetches it with wandb")
    home = live.process.args[3]
    subprocess.run([harness.flatout_bin(), "export", "latest", "--home", home, "--format", "otlp", "--out", tmp_path / "out"], check=True, capture_output=True)
    reader = Path(__file__).with_name("read_otlp.py")
    done = subprocess.run([sys.executable, reader, packages, tmp_path / "out/metrics.otlp.jsonl"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    metrics = found["metrics"]
    assert {"hw.gpu.utilization", "hw.gpu.memory.usage", "hw.power", "hw.temperature", "flatout.step.duration", "flatout.value"} <= set(metrics)
    assert metrics["hw.power"]["attributes"] == ["hw.id", "hw.name", "hw.type"]
    assert metrics["flatout.step.phase.duration"]["attributes"] == ["flatout.phase"]
    assert "train/loss" in metrics["flatout.value"]["names"]
    assert found["longest"] < 1 << 20 and found["resource"]["service.name"] == "live"
    assert abs(metrics["hw.power"]["first_ns"] / 1e9 - time.time()) < 600


@pytest.mark.slow
def test_a_real_prometheus_answers_every_query(live, tmp_path):
    prometheus = shutil.which("prometheus")
    if prometheus is None:
        pytest.skip("no prometheus here: Debian's package has it")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    scrape = {
        "job_name": "flatout",
        "scrape_interval": "1s",
        "authorization": {"credentials_file": str(Path(live.process.args[3]) / "token")},
        "static_configs": [{"targets": [f"127.0.0.1:{live.port}"]}],
    }
    (tmp_path / "prometheus.yml").write_text(json.dumps({"scrape_configs": [scrape]}))
    log = (tmp_path / "log").open("w")
    process = subprocess.Popen(
        [prometheus, f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data", f"--web.listen-address=127.0.0.1:{port}"],
        stdout=log, stderr=log)

    def answers(query):
        address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:
            return []

    try:
        wait_for(lambda: answers("rate(flatout_steps_total[1m]) > 0"), 60)  # a rate wants two scrapes
        assert [(panel, query) for panel, query in queries() if not answers(query)] == []
        assert "error" not in (tmp_path / "log").read_text().split("Server is ready")[-1].lower()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        log.close()
