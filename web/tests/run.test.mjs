import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { address, drag, panel, pointed, until, useBrowser } from "./page.mjs";

const { on } = useBrowser();
const plot = (page, id) => panel(page, id).locator(".u-over");

test("the answer comes first, and panels without data do not exist", on("run/gpus", async (page) => {
  const verdict = page.getByRole("region", { name: /input bound/i }).first();
  await verdict.getByText("38 %").waitFor();
  await verdict.getByText("19 min 36 s").waitFor();
  await verdict.getByText("1.42× (1.31 to 1.50)").waitFor();
  await plot(page, "phases").waitFor();
  assert.equal(await panel(page, "video").count(), 0);
  assert.equal(await panel(page, "swap").count(), 0);
  await page.getByText("the driver does not give it under MIG").waitFor();
}));

test("what is asked before the program is there is asked once, and what lies below comes after", on("run/gpus", async (page) => {
  await plot(page, "phases").waitFor();
  await page.locator("#details").waitFor();
  const firsts = ["/runs/gpus", "/runs/gpus/report", "/runs/gpus/events", "/runs/gpus/step-axis?points=2000"];
  // The browser names what has been answered; a plot may stand before all is.
  const asked = await until("their answers", async () => {
    const found = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name.replace(/^.*\/api\/v1/, "")).filter((name) => name.startsWith("/runs/gpus")));
    return firsts.every((first) => found.includes(first)) && found;
  });
  assert.deepEqual(asked, [...new Set(asked)]);
}, { height: 1000 }));

test("a drag zooms at full resolution, a double click shows the whole run", on("run/gpus", async (page, world) => {
  await plot(page, "phases").waitFor();
  world.asked.length = 0;
  await drag(page, plot(page, "phases"), 0.5, 0.51);
  await until("the address", () => address(page).has("from"));
  const asked = await until("a new question", () => world.asked.find((url) => url.includes("/steps") && url.includes("from=")));
  const query = new URLSearchParams(asked.split("?")[1]);
  assert.ok(Number(query.get("to")) - Number(query.get("from")) < 60_000);
  await page.locator(".zoomed").waitFor();
  await plot(page, "phases").dblclick();
  await until("no zoom", () => !address(page).has("from"));
  await page.goBack();
  await until("Back zooms in again", () => address(page).has("from"));
  await page.keyboard.press("z");
  await until("z zooms out", () => !address(page).has("from"));
}));

test("one cursor stands in all panels", on("run/gpus", async (page) => {
  await plot(page, "step").waitFor();
  await plot(page, "busy").waitFor();
  const left = (id) => panel(page, id).locator(".u-cursor-x").evaluate((line) => new DOMMatrix(getComputedStyle(line).transform).m41);
  await pointed("a cursor in the other panel", plot(page, "phases"), { x: 300, y: 60 }, async () => (await left("step")) > 10);
  const share = async (id) => (await left(id)) / (await plot(page, id).boundingBox()).width;
  assert.ok(Math.abs((await share("phases")) - (await share("step"))) < 0.01);
}));

test("smoothing, log axis and a line alone stand in the address", on("run/gpus?smooth=0.9", async (page) => {
  await plot(page, "phases").scrollIntoViewIfNeeded();
  assert.equal(await page.locator(".smooth output").textContent(), "0.90");
  const wait = panel(page, "phases").getByRole("button", { name: /data wait/ });
  await wait.click();
  await until("others are off", () => address(page).getAll("off").length > 5);
  await page.reload();
  assert.equal(await panel(page, "phases").getByRole("button", { name: /forward/ }).getAttribute("aria-pressed"), "false");
  await wait.click();
  await until("all again", () => address(page).getAll("off").length === 0);
  await panel(page, "step").getByLabel(/^Menu of/).click();
  await panel(page, "step").getByRole("button", { name: "Log axis" }).click();
  await until("log", () => address(page).get("log") === "step");
}));

test("a panel can be kept as CSV, SVG and PNG, and read as a table", on("run/gpus", async (page) => {
  await plot(page, "phases").waitFor();
  const keep = async (name) => {
    await panel(page, "phases").getByLabel(/^Menu of/).click();
    const [file] = await Promise.all([page.waitForEvent("download"), panel(page, "phases").getByRole("button", { name, exact: true }).click()]);
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
  };
  const csv = await keep("CSV");
  assert.equal(csv.name, "gpus-phases-of-a-step.csv");
  assert.match(csv.bytes.toString(), /^time_ms,other,data wait,/);
  assert.match((await keep("SVG")).bytes.toString(), /^<svg .*<\/svg>$/s);
  assert.equal((await keep("PNG")).bytes.subarray(1, 4).toString(), "PNG");
  await panel(page, "phases").getByLabel(/^Menu of/).click();
  await panel(page, "phases").getByRole("button", { name: "Table" }).click();
  await panel(page, "phases").getByRole("columnheader", { name: "data wait" }).waitFor();
}));

test("a finding opens its evidence and shows it in the run", on("run/gpus", async (page) => {
  await page.locator(".finding summary", { hasText: "rank imbalance" }).click();
  await page.getByRole("rowheader", { name: "ranks.held" }).waitFor();
  await page.locator(".finding[open]").getByRole("button", { name: "Show it in the run" }).click();
  await until("the zoom", () => Number(address(page).get("from")) === 0.43 * 3600_000);
}));

test("the ledger of a tune says what was kept and why", on("run/tune", async (page) => {
  const ledger = page.locator("#ledger");
  await ledger.getByText("2.91× (2.80 to 3.03)").waitFor();
  assert.deepEqual(await ledger.locator("tbody .badge").allTextContents(), ["✓ kept", "✓ kept", "↩ reverted", "↩ reverted", "↩ reverted"]);
  await ledger.getByText("dataloader.num_workers = 8").waitFor();
  const opened = ledger.locator("tbody tr").nth(1).getByRole("button", { name: "Plan and diff" });
  await opened.click();
  const diff = ledger.locator(".ledger-diff");
  assert.match(await diff.locator("pre").innerText(), /dataloader\.num_workers = 8[\s\S]*- precision\.bf16 = "off"[\s\S]*\+ precision\.bf16 = true/);
  await diff.getByText("Both runs recorded the same").or(diff.locator("tbody tr").first()).waitFor();
  await ledger.getByRole("button", { name: "Hide the diff" }).click();
  await until("the diff is gone", async () => (await diff.count()) === 0);
  await ledger.getByRole("link", { name: "compare" }).first().click();
  await page.getByRole("heading", { name: "2 runs" }).waitFor();
}));

test("a running run goes on by itself, a zoomed one stands still", on("run/live", async (page, world) => {
  await page.locator(".live").waitFor();
  await plot(page, "phases").waitFor();
  const heard = () => world.asked.filter((url) => url.includes("/live/steps")).length;
  const before = heard();
  await until("new questions for the panel", () => heard() > before + 1);
  const steps = async () => Number((await page.locator(".run-head > p.muted").textContent()).match(/([\d\u202f]+) steps/)[1].replace("\u202f", ""));
  const first = await steps();
  await until("more steps", async () => (await steps()) > first);
}));

test("steps may be the axis, and readings of the machine stand on it", on("run/gpus", async (page, world) => {
  await plot(page, "phases").waitFor();
  await page.getByRole("group", { name: "Axis" }).getByRole("button", { name: "Steps" }).click();
  await until("the address", () => address(page).get("x") === "step");
  await page.locator("#host").evaluate((element) => element.scrollIntoView());
  await plot(page, "cpu").waitFor();
  world.asked.length = 0;
  await drag(page, plot(page, "cpu"), 0.25, 0.5);
  await until("steps in the address", () => Number(address(page).get("to")) > 10_000 && Number(address(page).get("to")) < 13_000);
  await until("times are asked for", () => world.asked.some((url) => /key=m%3Ahost\.cpu/.test(url) && Number(new URLSearchParams(url).get("to")) > 1e6));
}));

test("the cursor moves by keys and is read out", on("run/gpus", async (page) => {
  await plot(page, "step").waitFor();
  const focus = panel(page, "step").locator(".plot");
  await focus.focus();
  for (const key of ["Home", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await until("a reading", async () => /ms$/.test(await panel(page, "step").locator(".spoken").textContent()));
  assert.match(await focus.getAttribute("aria-label"), /^Step time\. Step time: .* ms to .* ms/);
}));

test("keys have a list, and rest where one types", on("run/gpus", async (page) => {
  await page.getByLabel("Note", { exact: true }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("zoom out to the whole run").waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Note", { exact: true }).click();
  await page.keyboard.type("?z");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.keyboard.press("Enter");
}));

test("what was logged beside numbers is shown, the latest first", on("run/base", async (page) => {
  await page.locator("#media").evaluate((element) => element.scrollIntoView());
  await page.getByText("words of step 2").waitFor();
  await page.getByLabel("Which note").fill("0");
  await page.getByText("words of step 0").waitFor();
  await panel(page, "l.weights").locator(".u-over").waitFor();
}));

test("a logged table is turned page by page and kept as CSV; files are there to be downloaded", on("run/base", async (page) => {
  await page.locator("#media").evaluate((element) => element.scrollIntoView());
  const table = page.locator(".logged-table");
  await table.getByText("1 to 20 of 45").waitFor();
  await table.getByText("<b>row 3</b>").waitFor();
  await table.getByLabel(/^Later rows/).click();
  await table.getByText("<b>row 23</b>").waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), table.getByRole("button", { name: "CSV" }).click()]);
  assert.match((await readFile(await file.path())).toString(), /^id,text,'=score\r\n0,<b>row 0<\/b>,\r\n1,<b>row 1<\/b>,'=1\+1\r\n/);
  const link = page.getByRole("link", { name: "out/page.html" });
  assert.equal(await link.getAttribute("download"), "page.html");
  await page.getByText("model:v1 (model; best)").waitFor();
}));

test("tags and note are kept", on("run/base", async (page, world) => {
  await page.getByLabel("Tags").fill("night, best");
  await page.keyboard.press("Enter");
  await until("kept", () => world.row("base").tags.join() === "night,best");
}));

test("a run that is not there is said to be so", on("run/nobody", async (page) => {
  await page.getByRole("alert").getByText("there is no run nobody").waitFor();
}, { expected: [/status of 404/] }));
