// Pictures of pages of `trammel view`: the scene alone, at given times.
// usage: node picture.mjs CHROMIUM PLAN.json   (from this folder; playwright-core among its packages)
// The plan is a list of {page, picture, time, view, trail}: time in s, view the label of a button (3D, Front,
// Side, Top; none: as the page opens), trail the name of a body whose path is drawn.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [chromiumPath, planPath] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planPath, "utf8"));
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
for (const item of plan) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(pathToFileURL(item.page).href);
  await page.waitForFunction(() => window.viewer !== undefined);
  if (item.view) await page.locator(".tools button", { hasText: item.view }).first().click();
  if (item.trail) {
    await page.locator(".tree .row", { hasText: item.trail }).first().click();
    await page.locator(".tools button", { hasText: "Trails" }).first().click();
  }
  await page.evaluate((t) => window.viewer.setTime(t), item.time);
  await page.locator(".tools button", { hasText: "Fit" }).first().click();
  await page.evaluate(() => {
    for (const bar of document.querySelectorAll(".toolbar")) bar.style.visibility = "hidden";
    return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  });
  await page.locator("#canvas canvas").screenshot({ path: item.picture });
  await page.close();
  console.log(item.picture);
}
await browser.close();
