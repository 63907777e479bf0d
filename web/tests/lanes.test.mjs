// Idle causes over the steps, the loader over time, and lanes of a part of the run.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { address, drag, panel, pointed, until, useBrowser } from "./page.mjs";

const { on } = useBrowser();
const lanes = (page) => page.locator("#panel-lanes");
const said = (page) => lanes(page).locator(".lanes-said").textContent();

test("causes of idling stand over the steps, of the device that is chosen", on("run/gpus", async (page, world) => {
  const idle = panel(page, "idle");
  await idle.locator(".u-over").waitFor();
  await idle.getByRole("button", { name: /waiting for data/ }).waitFor();
  assert.equal(await idle.getByRole("button", { name: /throttling/ }).count(), 0);
  await idle.getByLabel("Device", { exact: true }).selectOption("3");
  await until("the address", () => address(page).get("idle") === "3");
  await until("the question", () => world.asked.some((url) => url.includes("/idle?number=3")));
  await idle.getByLabel(/^Menu of/).click();
  await idle.getByRole("button", { name: "Table" }).click();
  await idle.getByRole("cell", { name: "–" }).first().waitFor(); // nothing was traced then, which is not 0
}));

test("the loader's queue and its workers stand over time", on("run/gpus", async (page) => {
  await page.locator("#loader").evaluate((element) => element.scrollIntoView());
  for (const id of ["ready", "waits", "fetch"]) await panel(page, `loader-${id}`).locator(".u-over").waitFor();
  await panel(page, "loader-fetch").getByRole("button", { name: /worker 2/ }).waitFor();
}));

test("lanes show a few steps, and a drag over them zooms all panels", on("run/gpus", async (page, world) => {
  await lanes(page).getByText("6 steps from the middle").waitFor();
  const canvas = lanes(page).locator("canvas");
  await drag(page, canvas, 0.3, 0.6);
  await until("the address", () => address(page).has("from"));
  const [from, to] = ["from", "to"].map((key) => Number(address(page).get(key)));
  assert.ok(to - from > 150 && to - from < 400, `${to - from} ms`);
  await until("the lanes of that part", () => world.asked.some((url) => url.includes("/lanes?") && url.includes("from=")));
  await lanes(page).getByLabel("Wider").click();
  await until("a wider part", () => Number(address(page).get("to")) - Number(address(page).get("from")) > to - from);
  await canvas.dblclick();
  await until("no zoom", () => !address(page).has("from"));
}));

test("arrow keys go from one rectangle to the next, which is read out; Enter zooms to it", on("run/gpus", async (page) => {
  await lanes(page).getByText("6 steps from the middle").waitFor();
  await lanes(page).locator(".lanes-picture").focus();
  await page.keyboard.press("Home");
  await until("the first", async () => /^rank 0, phases: data_wait, 45 ms/.test(await said(page)));
  await page.keyboard.press("ArrowRight");
  await until("the next", async () => /^rank 0, phases: forward/.test(await said(page)));
  for (let i = 0; i < 2; ++i) await page.keyboard.press("ArrowDown");
  await until("another lane", async () => /^GPU 0, stream 7: sm90_gemm/.test(await said(page)));
  await page.keyboard.press("Enter");
  await until("the zoom", () => Number(address(page).get("to")) - Number(address(page).get("from")) < 200);
}));

test("one cursor stands in lanes and plots", on("run/gpus?from=1800000&to=1800900", async (page) => {
  await pointed("the cursor in the lanes", panel(page, "phases").locator(".u-over"), { x: 300, y: 60 }, () => lanes(page).locator(".lanes-cursor").count());
  const left = () => panel(page, "phases").locator(".u-cursor-x").evaluate((line) => new DOMMatrix(getComputedStyle(line).transform).m41);
  await pointed("the cursor in the plot", lanes(page).locator("canvas"), { x: 700, y: 60 }, async () => (await left()) > 500);
}));

test("lanes can be kept, and read as a table", on("run/gpus", async (page) => {
  await lanes(page).getByText("6 steps from the middle").waitFor();
  const keep = async (name) => {
    await lanes(page).getByLabel(/^Menu of/).click();
    const [file] = await Promise.all([page.waitForEvent("download"), lanes(page).getByRole("button", { name, exact: true }).click()]);
    return readFile(await file.path());
  };
  assert.match((await keep("CSV")).toString(), /^group,lane,name,begin_ms,.*\r\nrank 0,phases,data_wait,/);
  assert.match((await keep("SVG")).toString(), /^<svg .*sm90_gemm_bf16&#60;128.*<\/svg>$/s);
  assert.equal((await keep("PNG")).subarray(1, 4).toString(), "PNG");
  await lanes(page).getByLabel(/^Menu of/).click();
  await lanes(page).getByRole("button", { name: "Table" }).click();
  await lanes(page).getByLabel(/^Later rows/).click();
  await lanes(page).getByText(/^51 to \d+ of \d+/).waitFor();
  await lanes(page).getByRole("cell", { name: /^12, / }).first().waitFor();
}));
