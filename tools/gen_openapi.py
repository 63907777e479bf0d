#!/usr/bin/env python3
"""Write schema/openapi.json: the HTTP API of `flatout ui`, from this one description of it.

What the command line writes as well (reports, tunes, comparisons) is named by its schema in schema/. `--check`
exits 1 where the file is out of date.
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "schema/openapi.json"


def number(nullable=False, **more):
    return {"type": ["number", "null"] if nullable else "number", **more}


def whole(nullable=False, **more):
    return {"type": ["integer", "null"] if nullable else "integer", **more}


def text(nullable=False, **more):
    return {"type": ["string", "null"] if nullable else "string", **more}


def array(of):
    return {"type": "array", "items": of}


def thing(properties, required=None):
    """An object with all of these, but for those that `required` leaves out."""
    return {"type": "object", "properties": properties,
            "required": sorted(properties) if required is None else required}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


ANY_OBJECT = {"type": "object", "additionalProperties": True}
NUMBERS = array(number())
NUMBERS_OR_NULL = array(number(nullable=True))

SCHEMAS = {
    "Error": thing({"error": thing({"code": text(), "message": text()})}),
    "Verdict": thing({"finding": text(), "cause": text(), "summary": text(), "confidence": number(nullable=True)}),
    "Headline": thing({"id": text(), "project": text(), "name": text(), "group": text(), "job_type": text(),
                       "tags": array(text()), "config": ANY_OBJECT, "summary": ANY_OBJECT,
                       "branch": text(enum=["fork", "rewind"]), "from": text(), "from_step": whole()},
                      required=["id", "project", "name", "group", "job_type", "tags", "config", "summary"]),
    "RunRow": thing({
        "id": text(), "name": text(),
        "state": text(enum=["running", "finished", "failed", "killed", "lost", "damaged"]),
        "started_ms": whole(nullable=True, description="since 1970"), "duration_s": number(nullable=True),
        "command": text(), "host": text(), "kind": text(enum=["run", "tune", "search", "trial"]),
        "parent": text(nullable=True), "tags": array(text()), "note": text(), "bytes": whole(),
        "problem": text(nullable=True, description="why its recording cannot be read"),
        "verdict": or_null(ref("Verdict")), "steps": whole(nullable=True), "median_ms": number(nullable=True),
        "samples_per_s": number(nullable=True), "device_busy": number(nullable=True, description="0 to 1"),
        "trials": whole(description="of a tune or search, in the list: its state and duration_s there are those of the whole"),
        "tracked": or_null(ref("Headline"))},
        required=["id", "name", "state", "started_ms", "duration_s", "command", "host", "kind", "parent", "tags", "note", "bytes", "problem",
                  "verdict", "steps", "median_ms", "samples_per_s", "device_busy", "tracked"]),
    "RunList": thing({"schema": text(const="flatout.runs/1"),
                      "total": whole(description="without trials where the query leaves them out by kind != trial"), "matched": whole(),
                      "unread": whole(description="runs that are still being read, and are in a later answer: of a large store those of the newest folders come first"),
                      "notes": {**array(text()), "description": "fields of the query that no run has"},
                      "runs": array(ref("RunRow"))}),
    "SeriesInfo": thing({
        "key": text(), "name": text(), "kind": text(enum=["metric", "value"]), "unit": text(),
        "source": text(), "label": text(), "pid": whole(nullable=True), "device": whole(nullable=True),
        "track": whole(nullable=True), "count": whole(), "first_ms": number(), "last_ms": number(),
        "first_step": whole(nullable=True), "last_step": whole(nullable=True), "last": number(nullable=True),
        "min": number(nullable=True), "max": number(nullable=True)}),
    "TrackedRow": thing({"t_ms": number(), "step": whole(nullable=True), "data": ANY_OBJECT}),
    "TrackedFile": thing({"t_ms": number(), "path": text(), "file": text(description="its name for /files"), "bytes": whole(nullable=True),
                          "kind": text(), "artifact": or_null(ANY_OBJECT)}),
    "TrackedRun": thing({
        "source": text(), "id": text(), "project": text(), "entity": text(), "name": text(), "group": text(), "job_type": text(),
        "tags": array(text()), "notes": text(), "mode": text(), "config": ANY_OBJECT, "summary": ANY_OBJECT,
        "parts": array(thing({"pid": whole(), "track": whole(), "started_ms": number(), "ended_ms": number(nullable=True),
                              "exit_code": whole(nullable=True), "namespace": text(), "resumed": {"type": "boolean"},
                              "archived": {"type": "boolean", "description": "rewound: its series are not listed, and can still be asked for"}},
                             required=["pid", "track", "started_ms", "ended_ms", "exit_code", "namespace", "resumed"])),
        "branch": or_null(thing({"kind": text(enum=["fork", "rewind"]), "from": text(), "from_step": whole(nullable=True),
                                 "values": whole(nullable=True, description="copied; null: not yet"), "rows": whole(), "problem": text()})),
        "metrics": array(thing({"name": text(), "step_metric": text(), "step_sync": {"type": "boolean"},
                                "hidden": {"type": "boolean"}, "summary": text(), "goal": text()})),
        "rows": array(ref("TrackedRow")), "files": array(ref("TrackedFile")), "exit_code": whole(nullable=True),
        "lost_values": whole(), "lost_facts": whole()},
        required=["source", "id", "project", "entity", "name", "group", "job_type", "tags", "notes", "mode", "config", "summary", "parts",
                  "metrics", "rows", "files", "exit_code", "lost_values", "lost_facts"]),
    "Run": thing({"schema": text(const="flatout.run/1"), "row": ref("RunRow"),
                  "describe": {**ANY_OBJECT, "description": "flatout.show/1 (schema/show.schema.json)"},
                  "tracked": array(ref("TrackedRun")), "series": array(ref("SeriesInfo")),
                  "devices": array(thing({"index": whole(), "name": text()})), "live": {"type": "boolean"}}),
    "Curve": thing({"key": text(), "x": NUMBERS, "min": NUMBERS_OR_NULL, "max": NUMBERS_OR_NULL, "mean": NUMBERS_OR_NULL,
                    "last": NUMBERS_OR_NULL, "raw": {"type": "boolean"}}),
    "Series": thing({"schema": text(const="flatout.series/1"), "x": text(enum=["time", "step"]),
                     "series": array(ref("Curve"))}),
    "StepBucket": thing({"first_step": whole(), "last_step": whole(), "from_ms": number(), "to_ms": number(),
                         "mean_ms": number(), "min_ms": number(), "max_ms": number(), "phase_ms": NUMBERS,
                         "device_busy": number(nullable=True)}),
    "Steps": thing({"schema": text(const="flatout.steps/1"),
                    "device": whole(nullable=True, description="whose readings device_busy is: on which the process computes"), "pids": array(whole()), "phases": array(text()),
                    "buckets": array(ref("StepBucket")),
                    "histogram": thing({"edges_ms": NUMBERS, "counts": array(whole())}),
                    "p50_ms": number(nullable=True), "p99_ms": number(nullable=True), "warmup_steps": whole()}),
    "StepAxis": thing({"schema": text(const="flatout.step_axis/1"), "step": array(whole()), "ms": NUMBERS}),
    "Ranks": thing({"ranks": array(thing({"rank": whole(nullable=True), "pid": whole(), "label": text()})),
                    "edges_ms": NUMBERS, "step_ms": array(NUMBERS_OR_NULL)}),
    "Idle": thing({"schema": text(const="flatout.idle/1"),
                   "devices": array(thing({"pid": whole(), "device": whole(), "rank": whole(nullable=True), "label": text()})),
                   "causes": array(text()),
                   "buckets": array(thing({
                       "first_step": whole(nullable=True), "last_step": whole(nullable=True), "from_ms": number(), "to_ms": number(),
                       "known_ms": number(description="of this time, what was traced"),
                       "idle_ms": or_null({**NUMBERS, "description": "by cause; null where nothing was traced"})}))}),
    "Loader": thing({"schema": text(const="flatout.loader/1"), "workers": array(thing({"pid": whole(nullable=True), "label": text()})),
                     "in_step_thread": {"type": "boolean"},
                     "buckets": array(thing({
                         "from_ms": number(), "to_ms": number(),
                         "ready_mean": number(nullable=True, description="batches that were fetched and not taken yet"),
                         "ready_min": whole(nullable=True), "ready_max": whole(nullable=True),
                         "draws": whole(description="batches that were taken"), "wait_mean_ms": number(nullable=True),
                         "wait_max_ms": number(nullable=True),
                         "fetch_ms": {**NUMBERS_OR_NULL, "description": "mean of a batch, by worker"}}))}),
    "Lanes": thing({"schema": text(const="flatout.lanes/1"), "from_ms": number(),
                    "to_ms": number(description="what is shown; less than was asked for where that holds too much"),
                    "names": array(thing({"text": text(), "kind": text()})),
                    "lanes": array(thing({
                        "group": text(), "label": text(),
                        "kind": text(enum=["phases", "batches", "ops", "calls", "stream", "idle"]),
                        "spans": array({**NUMBERS, "minItems": 5, "maxItems": 5,
                                        "description": "begin and end in ms; how much of it is filled, in ms; number of the name; "
                                                       "how many are put together"})})),
                    "left_out": whole(description="lanes"),
                    "steps": array(thing({"step": whole(), "at_ms": number()}))}),
    "Event": thing({"t_ms": number(), "step": whole(nullable=True),
                    "kind": text(enum=["start", "end", "checkpoint", "eval", "alert", "problem", "fix"]),
                    "title": text(), "text": text(), "level": text(enum=["INFO", "WARN", "ERROR"])}),
    "Events": thing({"schema": text(const="flatout.events/1"), "events": array(ref("Event"))}),
    "OutputLine": thing({"t_ns": whole(description="since the run began"), "pid": whole(), "stream": text(enum=["stdout", "stderr"]),
                         "text": text(), "going_on": {"type": "boolean", "description": "the line was not finished"},
                         "left_out_lines": whole(description="of a gap, which has neither stream nor text: in all so far"),
                         "left_out_bytes": whole(description="of this line, or of a gap: in all so far")}, required=["t_ns", "pid"]),
    "Output": thing({"schema": text(const="flatout.output/1"),
                     "processes": array(thing({"pid": whole(), "bytes": whole(), "left_out_lines": whole(), "left_out_bytes": whole()})),
                     "lines": array(ref("OutputLine")), "more": {"type": "boolean"},
                     "reached_ns": whole(nullable=True, description="where a long search stopped: ask again from here")}),
    "ConfigDiff": thing({"schema": text(const="flatout.config_diff/1"),
                         "keys": array(thing({"key": text(), "values": array({})}))}),
    "Change": {**thing({"tags": array(text(minLength=1, maxLength=64, description="no blanks, commas or control characters")),
                        "note": text(maxLength=16384)}, required=[]), "additionalProperties": False},
}

ERRORS = {400: "a parameter or the body is wrong", 401: "the token is missing or wrong",
          403: "another Host or Origin", 404: "there is no such thing", 413: "too large",
          429: "too many requests", 500: "it could not be read"}


def parameter(name, schema, required=False, where="query", description=""):
    out = {"name": name, "in": where, "required": required, "schema": schema}
    return {**out, "description": description} if description else out


ID = parameter("id", text(pattern="^[a-z2-7]{4,26}$"), required=True, where="path")


def call(summary, answer, parameters=(), content="application/json", also=None, body=None, errors=(400, 401, 403, 404, 500)):
    """One operation; `also`: further content types of the answer."""
    contents = {content: {"schema": answer}, **{kind: {"schema": schema} for kind, schema in (also or {}).items()}}
    out = {"summary": summary, "parameters": list(parameters),
           "responses": {"200": {"description": "the answer", "content": contents}}}
    for status in (*errors, 429):
        out["responses"][str(status)] = {"description": ERRORS[status],
                                         "content": {"application/json": {"schema": ref("Error")}}}
    if body is not None:
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
        out["responses"]["413"] = {"description": ERRORS[413], "content": {"text/html": {"schema": text()},
                                                                           "application/json": {"schema": ref("Error")}}}
    return out


def document(name):
    return {**ANY_OBJECT, "description": f"schema/{name}.schema.json"}


WIDTH = parameter("width", whole(minimum=1, maximum=8192), description="columns of pixels")
FROM = parameter("from", number(), description="of the x axis")
TO = parameter("to", number())
EVENT_STREAM = text(description="server-sent events")

PATHS = {
    "/api/v1/runs": {"get": call("The runs that fit a query", ref("RunList"), [
        parameter("query", text(maxLength=4096), description="words and expressions, docs/api.md"),
        parameter("sort", text(), description="the name of a field"),
        parameter("order", text(enum=["asc", "desc"])),
        parameter("offset", whole(minimum=0, maximum=2147483647)),
        parameter("limit", whole(minimum=0, maximum=5000, default=100))], errors=(400, 401, 403, 500))},
    "/api/v1/runs/{id}": {
        "get": call("One run: what it was, and its curves", ref("Run"), [ID]),
        "patch": call("Set tags or note", ref("RunRow"), [ID], body=ref("Change"))},
    "/api/v1/runs/{id}/series": {"get": call(
        "Curves, at most two points a column of pixels", ref("Series"),
        [ID, parameter("key", array(text()), description="repeatable"),
         parameter("x", text(enum=["time", "step"]), description="ms since the run began, or the program's steps"),
         FROM, TO, WIDTH], also={"application/vnd.flatout.columns": text(format="binary")})},
    "/api/v1/runs/{id}/steps": {"get": call("Steps and their phases over time", ref("Steps"), [
        ID, parameter("pid", whole(minimum=0, maximum=2147483647)), FROM, TO, WIDTH])},
    "/api/v1/runs/{id}/step-axis": {"get": call("Which step began when, of the whole run", ref("StepAxis"), [
        ID, parameter("points", whole(minimum=2, maximum=8192), description="at most, between which it is a straight line")])},
    "/api/v1/runs/{id}/ranks": {"get": call("Step times, ranks by time", ref("Ranks"), [
        ID, parameter("width", whole(minimum=1, maximum=2000))])},
    "/api/v1/runs/{id}/idle": {"get": call("Why a traced device idled, by steps", ref("Idle"), [
        ID, parameter("number", whole(minimum=0, maximum=2147483647), description="of the device in `devices`"), FROM, TO, WIDTH])},
    "/api/v1/runs/{id}/loader": {"get": call("What the training loader did over time", ref("Loader"), [ID, FROM, TO, WIDTH])},
    "/api/v1/runs/{id}/lanes": {"get": call("Ranks, loader workers and streams in a part of the run", ref("Lanes"), [
        ID, FROM, TO, parameter("width", whole(minimum=1, maximum=4096), description="columns of pixels")])},
    "/api/v1/runs/{id}/events": {"get": call("What happened", ref("Events"), [ID])},
    "/api/v1/runs/{id}/output": {"get": call("What the program wrote, lines by time", ref("Output"), [
        ID, parameter("from_ns", whole(minimum=0, maximum=1 << 62), description="since the run began"),
        parameter("to_ns", whole(minimum=0, maximum=1 << 62), description="included"),
        parameter("limit", whole(minimum=0, maximum=2000, default=500)),
        parameter("end", text(enum=["first", "last"]), description="which lines of that time, where there are more"),
        parameter("stream", text(enum=["stdout", "stderr"])), parameter("pid", whole(minimum=0, maximum=2147483647)),
        parameter("contains", text(maxLength=256), description="text that a line holds, in either case"),
        parameter("states", text(enum=["last", "all"]), description="of lines that were not finished: the latest, or one a second")])},
    "/api/v1/runs/{id}/report": {"get": call("flatout.report/1", document("report"), [ID])},
    "/api/v1/runs/{id}/page": {"get": call("The report as a page", text(), [ID], content="text/html")},
    "/api/v1/runs/{id}/tune": {"get": call("flatout.tune/1 of the tune that began with this run", document("tune"), [ID])},
    "/api/v1/runs/{id}/files/{name}": {"get": call("A file that the run logged", text(format="binary"), [
        ID, parameter("name", text(minLength=1), required=True, where="path")], content="application/octet-stream",
        errors=(400, 401, 403, 404, 413, 500))},
    "/api/v1/runs/{id}/live": {"get": call("The latest points, once a second", EVENT_STREAM, [ID], content="text/event-stream")},
    "/api/v1/live": {"get": call("Ids of runs that change", EVENT_STREAM, content="text/event-stream", errors=(400, 401, 403, 500))},
    "/api/v1/compare": {"get": call("flatout.compare/1 of two runs", document("compare"), [
        parameter("a", text(), required=True), parameter("b", text(), required=True)])},
    "/api/v1/config-diff": {"get": call("Settings and environments side by side", ref("ConfigDiff"), [
        parameter("id", array(text()), description="repeatable")])},
    "/api/v1/openapi.json": {"get": call("This document", ANY_OBJECT, errors=(400, 401, 403))},
    "/metrics": {"get": call("Latest readings of running runs, for Prometheus", text(), content="text/plain", also={"application/openmetrics-text": text()},
                             errors=(400, 401, 403, 500))},
}


def whole_document() -> str:
    """The file's text."""
    document_ = {
        "openapi": "3.1.0",
        "info": {"title": "flatout", "version": "1",
                 "description": "Every run of a home, on 127.0.0.1 (docs/api.md). Made by tools/gen_openapi.py."},
        "security": [{"bearer": []}, {"cookie": []}],
        "paths": PATHS,
        "components": {"schemas": SCHEMAS, "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "flatout_token_PORT"}}},
    }
    return json.dumps(document_, indent=1) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    written = OUT.read_text(encoding="utf-8") if OUT.is_file() else ""
    if options.check:
        if written != whole_document():
            print(f"{OUT.relative_to(ROOT)} is out of date: run tools/gen_openapi.py")
            return 1
        return 0
    OUT.write_text(whole_document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
