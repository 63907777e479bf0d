import assert from "node:assert/strict";
import { test } from "node:test";
import { address, drag, panel, until, useBrowser } from "./page.mjs";

const { on } = useBrowser();
const loss = "c.train/loss";

test("runs lie over each other by step, time or wall time", on("compare?ids=base,gpus", async (page, world) => {
  await panel(page, loss).locator(".u-over").waitFor();
  assert.equal(await panel(page, loss).locator(".legend button").count(), 2);
  await panel(page, "c.Step time").locator(".u-over").waitFor();
  assert.equal(await panel(page, "c.Step time").locator(".legend button").count(), 2);
  await page.getByRole("button", { name: "Wall time" }).click();
  await until("time is asked for", () => world.asked.some((url) => url.includes("x=time") && url.includes("loss")));
  world.asked.length = 0;
  await drag(page, panel(page, loss).locator(".u-over"), 0.5, 0.6);
  await until("a zoom", () => world.asked.some((url) => url.includes("from=")));
  await page.keyboard.press("z");
  await until("no zoom", () => !address(page).has("from"));
}));

test("the difference comes with its interval, and what differs in the configuration", on("compare?ids=base,gpus", async (page) => {
  await page.getByText(/2\.40× as fast \(95 %: 2\.35 to 2\.44\)/).waitFor();
  await page.getByText("they ran on different machines", { exact: false }).waitFor();
  await page.getByRole("rowheader", { name: "model.name" }).waitFor();
  assert.equal(await page.getByRole("rowheader", { name: "environment.versions.torch" }).count(), 0);
  await page.getByLabel("all keys").check();
  await page.getByRole("rowheader", { name: "environment.versions.torch" }).waitFor();
}));

test("parallel coordinates lead from configuration to results", on("compare?ids=base,gpus,tune", async (page) => {
  const picture = page.getByRole("img", { name: /^Parallel coordinates of 3 runs/ });
  await picture.waitFor();
  assert.equal(await picture.locator("path").count(), 3);
}));

test("another run may be the baseline", on("compare?ids=base,gpus", async (page) => {
  await page.getByRole("button", { name: "make it the baseline" }).click();
  await until("the address", () => address(page).get("ids") === "gpus,base");
  await page.getByText(/2\.40× slower/).waitFor();
}));
