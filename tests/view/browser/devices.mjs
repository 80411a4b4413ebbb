// Pages as others use them: on a phone, with a screen reader or a keyboard, with panels of their own size, as
// a film. usage: see harness.mjs; an item has the path of axe-core where its pages are read by it.
import { readFileSync } from "node:fs";
import { check, checkConsole, nextFrame, openPage, runPlan, state, untilDrawn } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LYING = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true };

// Controls that are shown but are not inside the window, or behind something else. Those of panels with a
// scroll bar are reached by it.
const unreachable = () => {
  const faults = [];
  const { innerWidth: width, innerHeight: height } = window;
  if (document.documentElement.scrollWidth > width || document.body.scrollWidth > width)
    faults.push("the page is wider than the window");
  for (const e of document.querySelectorAll("button, input, select, .row, h1")) {
    if (!e.checkVisibility({ visibilityProperty: true })) continue;
    const scrolled = e.closest(".tree, .page, #plots");
    if (scrolled) e.scrollIntoView({ block: "nearest" });
    const b = e.getBoundingClientRect();
    const name = e.ariaLabel || e.textContent || e.className;
    if (b.left < 0 || b.right > width + 0.5 || b.top < 0 || b.bottom > height + 0.5)
      faults.push(`${name} is outside of the window`);
    const top = document.elementFromPoint((b.left + b.right) / 2, (b.top + b.bottom) / 2);
    const covered = top && !e.contains(top) && !top.contains(e);
    if (covered && !document.querySelector(".open-left, .open-right")) faults.push(`${name} is covered`);
  }
  return faults;
};

async function checkReach(page, where) {
  const faults = await page.evaluate(unreachable);
  check(faults.length === 0, `${where}: ${faults.slice(0, 4).join(", ")}`);
}

async function watchPhone(browser, item) {
  for (const [device, word] of [
    [PHONE, "upright"],
    [LYING, "lying"],
  ]) {
    const page = await openPage(browser, item.page, device);
    await untilDrawn(page);
    await checkReach(page, word);
    const canvas = await page.locator("#canvas").boundingBox();
    check(canvas.width > 380 && canvas.height > 150, `the scene has ${canvas.width} x ${canvas.height} px`);
    if (process.env.TRAMMEL_SHOTS)
      await page.screenshot({ path: `${process.env.TRAMMEL_SHOTS}/phone_${word}.png` });
    await page.getByRole("button", { name: "Names" }).tap();
    await checkReach(page, `${word}, names`);
    await page.locator(".tree .row", { hasText: item.body }).first().tap();
    check((await state(page)).selected === item.body, "a name that is tapped is not selected");
    check(!(await page.locator(".tree").isVisible()), "the drawer of the names stays in front of the scene");
    await page.getByRole("button", { name: "Values" }).tap();
    await checkReach(page, `${word}, values`);
    check(await page.locator("#selected").isVisible(), "there are no values of what is selected");
    await page.keyboard.press("Escape");
    check(!(await page.locator("#selected").isVisible()), "Escape does not close the drawer");
    check((await state(page)).selected === item.body, "Escape closes the drawer and more");
    const plots = page.locator("#plots");
    const shown = await plots.isVisible();
    check(shown === (word === "upright"), `${word}: the plots are ${shown ? "" : "not "}shown`);
    await page.getByRole("button", { name: "Plots" }).tap();
    check((await plots.isVisible()) !== shown, "the plots cannot be shown and put away");
    await checkReach(page, `${word}, plots`);
    checkConsole(page);
    await page.context().close();
  }
}

// Violations that axe calls serious or critical.
async function readBy(axe, page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run();
    return violations
      .filter((v) => ["serious", "critical"].includes(v.impact))
      .map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 100)}`);
  });
  check(found.length === 0, `${where}: ${found.join("; ")}`);
}

async function watchAxe(browser, item) {
  const axe = readFileSync(item.axe, "utf8");
  for (const colorScheme of ["light", "dark"]) {
    const open = async (device) => {
      const page = await openPage(browser, item.page, { colorScheme, bypassCSP: true, ...device });
      if (item.viewer) await untilDrawn(page);
      return page;
    };
    const page = await open({});
    await readBy(axe, page, colorScheme);
    for (const tab of item.viewer ? await page.locator(".tabs button").allTextContents() : []) {
      await page.getByRole("tab", { name: tab }).click();
      await readBy(axe, page, `${colorScheme}, ${tab}`);
    }
    if (item.viewer) {
      await page.locator(".tree .row").nth(1).click();
      await readBy(axe, page, `${colorScheme}, selected`);
      await page.keyboard.press("?");
      await readBy(axe, page, `${colorScheme}, keys`);
    }
    const small = await open(PHONE);
    await readBy(axe, small, `${colorScheme}, phone`);
    for (const drawer of item.viewer ? ["Names", "Values"] : []) {
      await small.getByRole("button", { name: drawer }).tap();
      await readBy(axe, small, `${colorScheme}, phone, ${drawer}`);
    }
    const wide = await small.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    check(!wide, "the page is wider than a phone");
    checkConsole(page);
  }
}

// The page plays by itself, unless the reader wants no motion or a link asks for a time; its first plots are
// the outputs of the model; the time line lies above their axis.
async function watchStart(browser, item) {
  const page = await openPage(browser, item.page, { reducedMotion: "no-preference" });
  await untilDrawn(page);
  await page.waitForFunction((t) => window.viewer.state.time > t, item.from);
  check((await state(page)).playing, "the page does not play");
  const link = `${page.url()}#t=${item.t}`;
  await page.goto("about:blank");
  await page.goto(link);
  await untilDrawn(page);
  const linked = await state(page);
  check(!linked.playing && Math.abs(linked.time - item.t) < 1e-9, "a page with a time in its link plays");

  const still = await openPage(browser, item.page);
  await untilDrawn(still);
  check(!(await state(still)).playing, "the page plays although no motion is wanted");
  const names = await still.$$eval(".chip b", (all) => all.map((b) => b.dataset.channel));
  check(names.join() === item.outputs.join(), `the first plots show ${names}`);
  await nextFrame(still);
  const ends = await still.evaluate(() => {
    const line = document.querySelector(".line input").getBoundingClientRect();
    const half = 8; // of the thumb [px], whose middle is at the ends
    return [...document.querySelectorAll(".u-over")].map((axis) => {
      const { left, right } = axis.getBoundingClientRect();
      return Math.max(Math.abs(line.left + half - left), Math.abs(line.right - half - right));
    });
  });
  check(ends.length > 1 && Math.max(...ends) <= 1, `the time line is ${ends} px beside the axes`);
  checkConsole(still);
}

// Numbers at the lines of the grid are the places of the lines, and inside the picture; marks of a road are
// at whole multiples of a length.
async function watchScale(browser, item) {
  const page = await openPage(browser, item.page);
  await untilDrawn(page);
  const { numbers, marks } = await page.evaluate(() => {
    const found = { numbers: [], marks: [] };
    const picture = document.querySelector("#canvas").getBoundingClientRect();
    window.viewer.world.scene.traverse((o) => {
      if (o.userData.label && o.visible) {
        const { x, y } = window.viewer.pixelAt(o.position.toArray());
        const inside = x > picture.left && x < picture.right && y > picture.top && y < picture.bottom;
        found.numbers.push({ text: o.userData.label, at: o.position.toArray(), inside });
      }
      if (o.isLineSegments && o.parent?.userData.item?.kind === "road")
        found.marks.push(...o.geometry.getAttribute("position").array);
    });
    return found;
  });
  if (item.road) {
    const places = marks.filter((_, i) => i % 6 === 0);
    check(places.length > 10, `the road has ${places.length} marks`);
    for (const x of places) check(Math.abs(x - Math.round(x)) < 1e-5, `a mark of the road is at ${x} m`);
    check(new Set(places.map(Math.round)).size === places.length, "marks of the road are not 1 m apart");
    return;
  }
  check(numbers.length >= 6, `the grid has ${numbers.length} numbers`);
  for (const { text, at, inside } of numbers) {
    const value = Number(text.replace(" m", ""));
    check(Math.min(Math.abs(at[0] - value), Math.abs(at[1] - value)) < 1e-9, `${text} stands at ${at}`);
    check(inside, `${text} is outside of the picture`);
  }
  check(numbers.filter(({ text }) => text.endsWith(" m")).length === 2, "the axes have no unit");
}

// Borders between the panels are dragged and go by arrows; what was chosen is remembered.
async function watchPanels(browser, item) {
  const page = await openPage(browser, item.page, { viewport: { width: 1280, height: 800 } });
  await untilDrawn(page);
  const sizes = () =>
    page.evaluate(() => ({
      left: document.querySelector("aside.left").offsetWidth,
      right: document.querySelector("aside.right").offsetWidth,
      plots: document.querySelector("#plots").offsetHeight,
      canvas: document.querySelector("#canvas canvas").clientWidth,
    }));
  const before = await sizes();
  for (const [side, x, y] of [
    ["left", 60, 0],
    ["right", -50, 0],
    ["plots", 0, -40],
  ]) {
    const b = await page.locator(`.border.${side}`).boundingBox();
    const from = [b.x + b.width / 2, b.y + b.height / 2];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(from[0] + x, from[1] + y, { steps: 4 });
    await page.mouse.up();
    const grown = (await sizes())[side] - before[side];
    check(Math.abs(grown - Math.abs(x + y)) <= 1, `${side} has grown by ${grown} px`);
  }
  await nextFrame(page);
  const dragged = await sizes();
  check(Math.abs(dragged.canvas - before.canvas + 110) <= 2, "the scene does not give way to the panels");
  const { time } = await state(page);
  await page.locator(".border.left").focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator(".border.plots").focus();
  await page.keyboard.press("ArrowUp");
  await nextFrame(page);
  const moved = await sizes();
  check(moved.left < dragged.left && moved.plots > dragged.plots, "arrows do not move the borders");
  check((await state(page)).time === time, "arrows of the borders change the time");
  await page.reload();
  await untilDrawn(page);
  const again = await sizes();
  check(JSON.stringify(again) === JSON.stringify(moved), `sizes are forgotten: ${JSON.stringify(again)}`);
  await page.locator(".border.left").dblclick();
  check((await sizes()).left === before.left, "a double click does not restore a panel");
  checkConsole(page);
}

// A film of the scene, and of scene and plots: a file that the browser can show, as long as the motion.
async function watchFilm(browser, item) {
  const page = await openPage(browser, item.page, { acceptDownloads: true });
  await untilDrawn(page);
  const heights = [];
  for (const choice of ["Scene", "Scene and plots"]) {
    await page.getByRole("button", { name: "make a film" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: choice, exact: true }).click(),
    ]);
    check(/^trammel\.(webm|mp4)$/.test(download.suggestedFilename()), "the film has no name of a film");
    const path = `${process.cwd()}/${download.suggestedFilename()}`;
    await download.saveAs(path);
    check(!(await state(page)).playing, "the page plays on after the film");
    const film = await openPage(browser, path);
    const found = await film.evaluate(async () => {
      const video = document.querySelector("video");
      video.muted = true;
      if (!(video.readyState >= 2)) await new Promise((go) => video.addEventListener("loadeddata", go));
      video.currentTime = 1e6; // a film of a recorder does not know its length before its end was seen
      await new Promise((go) => video.addEventListener("seeked", go));
      return { height: video.videoHeight, seconds: video.currentTime };
    });
    check(found.seconds > 0.95 * (item.to - item.from), `the film lasts ${found.seconds} s`);
    heights.push(found.height);
    await film.context().close();
  }
  check(heights[1] > heights[0] + 100, `heights of the films are ${heights} px`);
  checkConsole(page);
}

// Light or dark as it was chosen on the page of a result holds for reports, and the other way round.
async function watchDark(browser, item) {
  const page = await openPage(browser, item.page, { colorScheme: "light" });
  await untilDrawn(page);
  const light = () =>
    page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return r + g + b > 3 * 128;
    });
  check(await light(), "the page is dark in a light system");
  await page.getByRole("button", { name: "light or dark" }).click();
  for (const report of item.reports) {
    await page.goto(`file://${report}`);
    check(!(await light()), `${report} forgets the choice`);
  }
  await page.getByRole("button", { name: "light or dark" }).click();
  check(await light(), "the button of a report does nothing");
  await page.goto(`file://${item.page}`);
  await untilDrawn(page);
  check(!(await state(page)).dark, "the page of a result forgets the choice on a report");
  const other = await openPage(browser, item.reports[0], { colorScheme: "dark", javaScriptEnabled: false });
  const colour = await other.locator("body").evaluate((e) => getComputedStyle(e).backgroundColor);
  check(!/255/.test(colour), "a report without scripts is light in a dark system");
  checkConsole(page);
}

// Two results: both mechanisms where they are, both curves and both values; a slider over several.
async function watchBeside(browser, item) {
  const page = await openPage(browser, item.page);
  await untilDrawn(page);
  await page.evaluate((t) => window.viewer.setTime(t), item.t);
  await nextFrame(page);
  const slider = page.getByLabel("which result beside");
  for (const [k, { name, position, value }] of item.beside.entries()) {
    await slider.fill(String(k));
    await nextFrame(page);
    const at = await page.evaluate((body) => window.viewer.positionOf(body, true), item.body);
    const off = Math.hypot(...at.map((x, i) => x - position[i]));
    check(off < 1e-5, `${item.body} of ${name} is drawn at ${at}, not at ${position}`);
    const said = await page.locator(".beside output").textContent();
    check(said === name, `the page calls ${name} ${said}`);
    const shown = await page.locator(`[data-beside="${item.channel}"]`).textContent();
    check(Math.abs(Number(shown.slice(1, -1)) - value) < 1e-5, `${name}: ${item.channel} is ${shown}`);
    const dashed = await page.evaluate(() =>
      window.viewer.plots.panels.map((p) => p.plot.series.filter((s) => s.dash).length),
    );
    check(dashed.join() === "2,2", `dashed curves of the panels: ${dashed}`);
  }
  const own = await page.evaluate((body) => window.viewer.positionOf(body), item.body);
  check(Math.hypot(...own.map((x, i) => x - item.position[i])) < 1e-5, "the result itself is elsewhere");
  const places = await page.evaluate(() =>
    window.viewer.names("body").map((n) => window.viewer.pixelAt(window.viewer.positionOf(n, true))),
  );
  const picked = () =>
    page.evaluate((all) => all.map(({ x, y }) => window.viewer.stage.pick(x, y)?.name ?? null), places);
  const before = await picked();
  check(before.includes(null), "all bodies beside are in front of others");
  await page.getByLabel("show the result beside").uncheck();
  await nextFrame(page);
  const gone = await page.evaluate((body) => window.viewer.positionOf(body, true), item.body);
  check(gone === null, "the result beside cannot be put away");
  check((await picked()).join() === before.join(), "a click on the mechanism beside selects something");
  check((await page.locator("[data-beside]").first().textContent()) === "", "its values stay");
  checkConsole(page);
}

const watches = {
  beside: watchBeside,
  phone: watchPhone,
  axe: watchAxe,
  scale: watchScale,
  start: watchStart,
  panels: watchPanels,
  film: watchFilm,
  dark: watchDark,
};
await runPlan((browser, item) => watches[item.kind](browser, item));
