// A real `flatout ui` over a store of its own, and a browser, for one file of tests.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "./browser.mjs";
import { deadline, until } from "./page.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const flatout = process.env.FLATOUT_BIN ?? join(root, "build/release/bin/flatout");
export const makeStore = join(flatout, "../../test/made_up_store");
export const python = process.env.FLATOUT_PYTHON ?? join(root, ".venv/bin/python");

// False, or why the tests of a file cannot be run here.
export const missing = (...programs) => (programs.every(existsSync) ? false : `one of ${programs.join(", ")} is not there`);

export async function startedUi(home) {
  const server = spawn(flatout, ["ui", "--home", home, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  server.stdout.on("data", (text) => (said += text));
  const url = await until("the address of the page", () => /http:\S+/.exec(said)?.[0]);
  return { server, url, origin: new URL(url).origin };
}

// {home, server, url, origin, browser, page, problems}: what the console or the policy complains about.
export async function startedStore(fill = () => {}) {
  const home = mkdtempSync(join(tmpdir(), "flatout-page-"));
  await fill(home);
  const browser = await chromium.launch(launchOptions());
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 2600 } })).newPage();
  page.setDefaultTimeout(deadline);
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(`${message.text()} ${message.location().url}`));
  return { home, browser, page, problems, ...(await startedUi(home)) };
}

export async function endedStore({ home, browser, server }) {
  await browser?.close();
  server?.kill("SIGINT");
  if (home) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("FLATOUT_")));

// `flatout run` of a program, in a group of its own that killed() ends; `ended` gives its exit status.
export function startedRun(home, options, program, cwd = home) {
  const child = spawn(flatout, ["run", "--quiet", "--no-bench", "--home", home, ...options, "--", ...program], {
    cwd, detached: true, stdio: ["ignore", "ignore", "pipe"], env: { ...environment(), PYTHONPATH: join(root, "python"), OMP_NUM_THREADS: "1" },
  });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const ended = new Promise((done) => child.on("exit", (code, signal) => done({ code, signal, said })));
  return { child, ended };
}

export function killed({ child }, signal = "SIGKILL") {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // it has ended
  }
}

export const listed = (home) => JSON.parse(spawnSync(flatout, ["ls", "--home", home, "--format", "json"], { encoding: "utf8" }).stdout).runs;
