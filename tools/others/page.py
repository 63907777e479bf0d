"""The table of docs/programs-of-others.md, from what tools/programs_of_others.py measured."""

import statistics

HEAD = (
    "| program | exit status, output, files | steps: printed / counted | verdict | first advice | predicted | measured |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)


def unmeasured(name, why):
    return f"| {name} | {why} | | | | | |"


def alike(check):
    """As bare, or what is not."""
    wrong = []
    bare, again, seen = check["status"]
    if not bare == again == seen:
        wrong.append(f"exit status {seen}, bare {bare} and {again}")
    names = {"out": "stdout", "err": "stderr", "files": "files"}
    wrong += [f"{names[k]} differ" for k, d in check["alike"].items() if not d["same"]]
    if wrong:
        return "; ".join(wrong)
    return f"as bare (status {bare}, {check['files']} files)"


def steps(check):
    printed = check["printed_steps"][1]
    if printed is None:
        printed = check["expected_steps"]
    counted = ((check["report"] or {}).get("steps") or {}).get("count", "none")
    return f"{'none' if printed is None else printed} / {counted}"


def first_advice(report):
    """The advice that the report puts first: that of the verdict's finding, else of the first one that has any."""
    findings = (report or {}).get("findings", [])
    wanted = (report or {}).get("verdict", {}).get("finding")
    for finding in sorted(findings, key=lambda f: f["id"] != wanted):
        if finding["advice"]:
            return finding["advice"][0]
    return None


def advice_words(one):
    if not one:
        return "none"
    if "from" in one:
        return f"`{one['knob']}` {one['from']} → {one['to']}"
    return one.get("how") or one["knob"]


def predicted(one):
    if not one or "predicted_speedup" not in one:
        return ""
    low, high = one["interval"]
    return f"×{one['predicted_speedup']:.2f} [{low:.2f}, {high:.2f}]"


def gains(rounds):
    """As it is over advised, a round: by the program's own step lines where it prints them, else the whole run."""
    key = "step_s" if all(r[k]["step_s"] for r in rounds for k in ("as_it_is", "advised")) else "wall_s"
    return key, [r["as_it_is"][key] / r["advised"][key] for r in rounds]


def measured(advice):
    if not advice:
        return ""
    if "failed" in advice:
        return f"failed: {advice['failed']}"
    key, ratios = gains(advice["rounds"])
    what = "a step" if key == "step_s" else "whole run"
    return f"×{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}, {what}, {len(ratios)} rounds)"


def row(name, done):
    if "skipped" in done:
        return unmeasured(name, f"skipped: {done['skipped']}")
    check = done.get("check") or {"failed": "not run"}
    if "failed" in check:
        return unmeasured(name, f"failed: {check['failed']}")
    one = first_advice(check["report"])
    verdict = (check["report"] or {}).get("verdict", {})
    words = "/".join(filter(None, (verdict.get("finding"), verdict.get("cause"))))
    cells = (name, alike(check), steps(check), words, advice_words(one), predicted(one), measured(done.get("advice")))
    return "| " + " | ".join(cells) + " |"


def table(results):
    return "\n".join([*HEAD, *(row(name, done) for name, done in results["programs"].items())])
