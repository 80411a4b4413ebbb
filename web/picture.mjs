// Pictures of pages of `trammel view`: the scene alone, or the whole page, at given times.
// usage: node picture.mjs CHROMIUM PLAN.json   (from this folder; playwright-core among its packages)
// The plan is a list of {page, picture, time, view, trail}: time in s, view the label of a button (3D, Front,
// Side, Top; none: as the page opens), trail the name of a body whose path is drawn. The whole page is taken
// if there is `size`, its width and height in px, with keys that are pressed, an element that is selected,
// channels that are plotted, and dark or light.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [chromiumPath, planPath] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planPath, "utf8"));
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const drawn = (page) =>
  page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));

async function takeScene(page, item) {
  if (item.view) await page.locator(".tools button", { hasText: item.view }).first().click();
  if (item.trail) {
    await page.locator(".tree .row", { hasText: item.trail }).first().click();
    await page.locator(".tools button", { hasText: "Trails" }).first().click();
    await page.keyboard.press("Escape"); // what is selected has another colour
  }
  await page.evaluate((t) => {
    window.viewer.setTime(t);
    for (const bar of document.querySelectorAll(".toolbar")) bar.style.display = "none";
    document.activeElement?.blur();
  }, item.time);
  await page.keyboard.press("f"); // fits the picture without the toolbar
  await drawn(page);
  await page.locator("#canvas canvas").screenshot({ path: item.picture });
}

async function takePage(page, item) {
  for (const key of item.keys ?? []) await page.keyboard.press(key);
  for (const channel of item.plot ?? []) {
    await page.locator(".tabs button", { hasText: "Channels" }).click();
    await page.locator('input[aria-label="Search channels"]').fill(channel);
    await page.locator(`.page:not(.hidden) tr[data-channel="${channel}"] .add`).first().click();
  }
  if (item.plot) await page.locator(".tabs button", { hasText: "Selection" }).click();
  if (item.select) await page.locator(".tree .row", { hasText: item.select }).first().click();
  await page.mouse.move(0, 0);
  await page.evaluate((t) => window.viewer.setTime(t), item.time);
  await drawn(page);
  await page.screenshot({ path: item.picture });
}

for (const item of plan) {
  const [width, height] = item.size ?? [1280, 900];
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: item.dark ? "dark" : "light",
    reducedMotion: "reduce", // the page does not play by itself
  });
  await page.goto(pathToFileURL(item.page).href);
  await page.waitForFunction(() => window.viewer !== undefined);
  await (item.size ? takePage : takeScene)(page, item);
  await page.close();
  console.log(item.picture);
}
await browser.close();
