import assert from "node:assert/strict";
import { test } from "node:test";
import { address, until, useBrowser } from "./page.mjs";

const { on } = useBrowser();
const rows = (page) => page.locator(".space .row");
const names = (page) => page.locator(".space .row .name a").allTextContents();
const badRequest = { expected: [/status of 400/] };

test("5 000 runs are rows of the window alone, to the last one", on("runs?trials=1", async (page) => {
  await page.getByText("5000 runs").waitFor();
  assert.ok((await rows(page).count()) < 100);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await until("the last row", async () => (await page.locator('[aria-rowindex="5001"] .name a').count()) === 1);
  assert.ok((await rows(page).count()) < 100);
}));

test("a search filters, stands in the address, and comes back with it", on("runs", async (page) => {
  await rows(page).first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type('config.lr < 0.005 and state == "failed"');
  await until("the address", () => address(page).get("q")?.startsWith("config.lr"));
  await until("fewer runs", async () => /^\d+ of \d+ runs$/.test(await page.locator(".count").textContent()) && (await page.locator(".space .state-failed").count()) === (await rows(page).count()));
  const found = await page.locator(".count").textContent();
  await page.reload();
  await page.getByText(found).waitFor();
  assert.equal(await page.locator("#search").inputValue(), 'config.lr < 0.005 and state == "failed"');
}));

test("a mistake is shown where it was made", on("runs?q=config.lr%20%3C%20%3C", async (page) => {
  await page.getByText("unexpected < at column 13").waitFor();
  assert.equal(await page.locator(".search-error code").textContent(), `${" ".repeat(12)}^`);
  assert.equal(await page.locator("#search").getAttribute("aria-invalid"), "true");
}, badRequest));

test("a field that no run has is said", on("runs?q=bogus%20%3D%3D%203", async (page) => {
  await page.getByRole("status").filter({ hasText: "no run has bogus" }).waitFor();
}));

test("any column sorts, config and summary too", on("runs?cols=config.lr,summary.loss", async (page) => {
  await page.getByRole("button", { name: "loss", exact: false }).first().click();
  await page.getByRole("columnheader", { name: "loss" }).and(page.locator('[aria-sort="descending"]')).waitFor();
  await page.getByRole("button", { name: "loss", exact: false }).first().click();
  await until("ascending", () => address(page).get("order") === "asc");
  const values = await until("sorted values", async () => {
    const cells = (await page.locator('.space [data-title="loss"]').allTextContents()).slice(0, 10).map(Number);
    return cells.length > 5 && cells.every((value, i) => i === 0 || value >= cells[i - 1]) && cells;
  });
  assert.ok(values[0] < 0.3);
}));

test("columns are chosen from what the runs logged", on("runs", async (page) => {
  await page.locator(".space .row").first().waitFor();
  await page.locator(".columns > summary").click();
  await page.locator(".columns").getByLabel("config.model.layers").check();
  await page.locator('.space [data-title="model.layers"]').first().waitFor();
  assert.ok(address(page).get("cols").includes("config.model.layers"));
  await page.keyboard.press("Escape");
  await until("a closed menu", async () => (await page.locator("details.menu[open]").count()) === 0);
}));

test("groups have heads, and fold", on("runs?group=project", async (page) => {
  const head = page.getByRole("button", { name: /^▾ vision/ });
  await head.click();
  await page.getByRole("button", { name: /^▸ vision/ }).waitFor();
  await page.getByRole("button", { name: /^▾ language/ }).waitFor();
}));

test("keys choose runs and compare them", on("runs", async (page) => {
  await page.locator(".space .name a").first().waitFor();
  for (const key of ["j", "j", "x", "j", "x"]) await page.keyboard.press(key);
  await page.getByText("2 selected: gpus, base").waitFor();
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: "2 runs" }).waitFor();
}));

test("a click opens a run, Back comes back", on("runs", async (page) => {
  await page.getByRole("link", { name: "eight-gpus" }).click();
  await page.getByRole("heading", { name: /eight-gpus/ }).waitFor();
  await page.goBack();
  await page.locator("#search").waitFor();
  assert.ok((await names(page)).length >= 0);
}));

test("changes in the store come by themselves", on("runs", async (page, world) => {
  await page.getByRole("link", { name: "baseline" }).waitFor();
  world.row("base").name = "renamed";
  await page.getByRole("link", { name: "renamed" }).waitFor();
  world.row("base").name = "baseline";
}));
