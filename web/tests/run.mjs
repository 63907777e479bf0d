// Runs the tests in a browser: node tests/run.mjs [REPORT.xml [NAME...]], all or those of these names.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(here).filter((name) => name.endsWith(".test.mjs")).map((name) => here + name);
const [report, ...names] = process.argv.slice(2);
const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
if (report) reporters.push("--test-reporter=junit", `--test-reporter-destination=${report}`);
const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=2", ...reporters, ...names.map((name) => `--test-name-pattern=^${name.replace(/[^\w ]/g, "\\$&")}$`), ...files], { stdio: "inherit" });
process.exit(status ?? 1);
