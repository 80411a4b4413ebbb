// Opens pages of `trammel view` in Chromium and does what a person would do with them.
// usage: see harness.mjs
import { check, checkConsole, nextFrame, openPage, runPlan, state, untilDrawn } from "./harness.mjs";

// The share of pixels of the scene that differ from its corner, drawn into a small copy.
const drawnShare = () => {
  const canvas = document.querySelector("#canvas canvas");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [160, 100];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0, 160, 100);
  const p = context.getImageData(0, 0, 160, 100).data;
  let other = 0;
  for (let i = 0; i < p.length; i += 4)
    if (Math.abs(p[i] - p[0]) + Math.abs(p[i + 1] - p[1]) + Math.abs(p[i + 2] - p[2]) > 40) other++;
  return other / (p.length / 4);
};

// Numbers of the table of the selection, by the last part of the channel's name.
const shownValues = (page) =>
  page.$$eval(".page:not(.hidden) tr[data-channel]", (rows) =>
    rows.map((r) => [r.dataset.channel, r.cells[1].textContent]),
  );

// What is shown must be the number of the result, rounded to six digits.
function compareValues(shown, expected) {
  let compared = 0;
  for (const [channel, text] of shown) {
    const x = expected[channel];
    if (x === undefined) continue;
    const digits = x === 0 ? 1e-9 : Math.pow(10, Math.floor(Math.log10(Math.abs(x))) - 5);
    // half a unit of the sixth digit, and the rounding of the page (24 bits of the largest value)
    const allowed = 0.501 * digits + 6e-8 * Math.abs(x) + 1e-37;
    check(Math.abs(Number(text) - x) <= allowed, `${channel}: the page shows ${text}, the result has ${x}`);
    compared++;
  }
  check(compared > 0, "no value of the selection is in the result");
}

// Where an element is. A plot is made anew when its panel changes, and has no place until then.
async function boxOf(element) {
  for (;;) {
    await element.waitFor({ timeout: 300000 });
    const box = await element.boundingBox();
    if (box) return box;
  }
}

// Click one of several elements of a kind; others may stand in front of some of them.
async function clickOne(page, names) {
  for (const name of names) {
    const at = await page.evaluate((n) => window.viewer.pixelOf(n), name);
    if (!at) continue;
    await page.mouse.click(at.x, at.y);
    if ((await state(page)).selected === name) return name;
  }
  // all of them are behind something else: by name
  await page.locator(".tree .row", { hasText: names[0] }).first().click();
  check((await state(page)).selected !== null, `${names[0]} cannot be selected by its name`);
  return names[0];
}

// As the page opens, all bodies and points of what is drawn are inside the picture at all times, and none is
// behind the toolbar.
async function watchFit(page, item) {
  const hidden = await page.evaluate(
    ({ from, to, points }) => {
      const { left, right, bottom } = document.querySelector("#canvas").getBoundingClientRect();
      const top = document.querySelector(".toolbar").getBoundingClientRect().bottom;
      const found = [];
      for (const share of [0, 0.3, 0.7, 1]) {
        window.viewer.setTime(from + share * (to - from));
        window.viewer.draw();
        for (const name of [...window.viewer.names("body"), ...window.viewer.names("beam")]) {
          const { x, y } = window.viewer.pixelOf(name);
          if (!(x > left && x < right && y > top && y < bottom)) found.push(`${name} at ${share}`);
        }
        for (const point of points) {
          const { x, y } = window.viewer.pixelAt(point);
          if (!(x > left && x < right && y > top && y < bottom)) found.push(`${point} at ${share}`);
        }
      }
      window.viewer.setTime(from);
      window.viewer.draw();
      return found;
    },
    { from: item.from, to: item.to, points: item.points ?? [] },
  );
  check(hidden.length === 0, `outside the picture: ${hidden.slice(0, 5).join(", ")}`);
}

// The floor is drawn below all bodies, at all times.
async function watchFloor(page, { from, to }) {
  const bare = await page.evaluate(
    (times) => {
      let low = Infinity;
      let high = -Infinity;
      window.viewer.world.scene.traverse((o) => {
        if (!o.userData.floor) return;
        o.geometry.computeBoundingBox();
        const box = o.geometry.boundingBox.clone().applyMatrix4(o.matrixWorld);
        [low, high] = [box.min.x, box.max.x];
      });
      return times.flatMap((time) => {
        window.viewer.setTime(time);
        const x = (name) => window.viewer.positionOf(name)[0];
        return window.viewer.names("body").filter((name) => !(x(name) > low && x(name) < high));
      });
    },
    [from, (from + to) / 2, to],
  );
  check(bare.length === 0, `there is no floor below ${bare.join(", ")}`);
}

// The light in the middle of a body, over its radius in pixels, as numbers from 0 to 255.
const middleOf = ({ name, radius }) => {
  window.viewer.draw();
  const canvas = document.querySelector("#canvas canvas");
  const frame = canvas.getBoundingClientRect();
  const { x, y } = window.viewer.pixelOf(name);
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [16, 16];
  const context = copy.getContext("2d");
  const scale = canvas.width / frame.width;
  const box = [x - frame.left - radius, y - frame.top - radius, 2 * radius, 2 * radius];
  context.drawImage(canvas, ...box.map((k) => k * scale), 0, 0, 16, 16);
  return [...context.getImageData(0, 0, 16, 16).data];
};

// Something simple that goes far: the page opens with its whole way, says when it goes along with it, and
// shows that it turns.
async function watchWay(page, item) {
  const way = await page.evaluate(
    ({ from, to, name }) => {
      const at = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map((share) => {
        window.viewer.setTime(from + share * (to - from));
        window.viewer.draw();
        return window.viewer.pixelOf(name);
      });
      const size = (k) => Math.max(...at.map((p) => p[k])) - Math.min(...at.map((p) => p[k]));
      const { width, height } = document.querySelector("#canvas").getBoundingClientRect();
      return Math.max(size("x") / width, size("y") / height);
    },
    { from: item.from, to: item.to, name: item.way },
  );
  check((await state(page)).follows === null, "the page opens with a camera that goes along");
  check(way > 0.4, `the way of ${item.way} takes ${way} of the picture`);

  const button = page.getByRole("button", { name: "Follow" });
  await button.click();
  check((await state(page)).follows === item.way, "the camera does not go along");
  check((await button.textContent()).includes(item.way), "one does not see what is followed");
  check(/\bon\b/.test(await button.getAttribute("class")), "one does not see that something is followed");
  const lights = [];
  for (const time of [item.t, item.other_t]) {
    await page.evaluate((t) => window.viewer.setTime(t), time);
    lights.push(await page.evaluate(middleOf, { name: item.way, radius: 60 }));
  }
  const change = lights[0].reduce((sum, x, i) => sum + Math.abs(x - lights[1][i]), 0) / lights[0].length;
  check(change > 2, `one does not see how ${item.way} turns (${change})`);
  await page.keyboard.press("Escape");
  check((await state(page)).follows === null, "Esc does not stop the camera");
  check(!/\bon\b/.test(await button.getAttribute("class")), "one sees no end of following");
  await page.keyboard.press("f");
  await watchFit(page, item);
}

// A body is drawn where it is: a click there selects it.
async function watchHit(page, name) {
  const at = await page.evaluate((n) => window.viewer.pixelOf(n), name);
  await page.mouse.click(at.x, at.y);
  check((await state(page)).selected === name, `${name} is not drawn at its centre`);
  await page.keyboard.press("Escape");
}

// All of a row of the channels is inside the panel: its name, its number on one line, its unit, its button.
async function watchChannels(page, width) {
  const size = page.viewportSize();
  await page.setViewportSize({ width, height: size.height });
  await page.getByRole("tab", { name: "Channels" }).click();
  const faults = await page.evaluate(() => {
    const panel = document.querySelector(".page:not(.hidden)");
    const right = panel.getBoundingClientRect().left + panel.clientWidth;
    return [...panel.querySelectorAll("tr[data-channel]")].flatMap((row) => {
      row.cells[1].textContent = "-1.23456e-100"; // as long as a number can be
      const text = document.createRange();
      text.selectNodeContents(row.cells[1]);
      const lines = new Set([...text.getClientRects()].map((r) => Math.round(r.top)));
      const most = Math.max(...[...row.cells].map((c) => c.getBoundingClientRect().left + c.scrollWidth));
      const add = row.querySelector(".add").getBoundingClientRect();
      return [
        lines.size > 1 ? `${row.dataset.channel}: the number is on ${lines.size} lines` : "",
        most > right + 1 || add.right > right ? `${row.dataset.channel}: ends beyond the panel` : "",
      ].filter(Boolean);
    });
  });
  check(faults.length === 0, `channels at a width of ${width}: ${faults.slice(0, 3).join(", ")}`);
  await page.getByRole("tab", { name: "Run" }).click();
  const report = await page.$$eval("#report th", (cells) => cells.map((c) => c.textContent));
  for (const label of ["model", "method", "wall time"])
    check(report.includes(label), `the closing report has no row '${label}': ${report}`);
  await page.getByRole("tab", { name: "Selection" }).click();
  await page.setViewportSize(size);
}

async function watchRun(page, item) {
  // bodies that are nodes of a beam are drawn, and listed, as the beam
  const own = await page.evaluate(() => [...window.viewer.names("body"), ...window.viewer.names("beam")]);
  item.bodies = [
    ...item.bodies.filter((b) => own.includes(b)),
    ...own.filter((b) => !item.bodies.includes(b)),
  ];
  item.moving = item.bodies[0];
  const first = await page.evaluate((n) => window.viewer.positionOf(n), item.moving);
  await page.keyboard.press("Space");
  await page.waitForFunction((t) => window.viewer.state.time > t, item.from + 0.01 * (item.to - item.from), {
    timeout: 300000,
  });
  await page.keyboard.press("Space");
  check(!(await state(page)).playing, "space does not pause");
  const second = await page.evaluate((n) => window.viewer.positionOf(n), item.moving);
  check(Math.hypot(...first.map((x, k) => x - second[k])) > 0, `${item.moving} does not move`);

  await page.getByLabel("time line").fill("5000");
  const middle = (item.from + item.to) / 2;
  check(
    Math.abs((await state(page)).time - middle) < 1e-6 * (item.to - item.from),
    "the time line does not set the time",
  );
  await page.evaluate((t) => window.viewer.setTime(t), item.t);
  await nextFrame(page);

  compareValues((await clickOne(page, item.bodies), await shownValues(page)), item.values);
  if (item.joints.length) {
    compareValues((await clickOne(page, item.joints), await shownValues(page)), item.values);
  }
  const row = page.locator(".page:not(.hidden) tr[data-channel]").first();
  const channel = await row.getAttribute("data-channel");
  await row.dragTo(page.locator(".plot").first());
  const chip = page.locator(`.chip b[data-channel="${channel}"]`).first();
  await chip.waitFor({ timeout: 300000 });
  check((await page.locator(".plot canvas").count()) > 0, "there is no plot");
  compareValues([[channel, await chip.textContent()]], item.values);
  await page.evaluate((t) => window.viewer.setTime(t), item.other_t);
  compareValues([[channel, await chip.textContent()]], item.other_values);
  // a click into the plot sets the time: its middle is that of the run
  const over = await boxOf(page.locator(".plot .u-over").first());
  await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
  check(
    Math.abs((await state(page)).time - middle) < 0.02 * (item.to - item.from),
    "a click into a plot does not set the time",
  );
  await page.evaluate((t) => window.viewer.setTime(t), item.other_t);
  await page.keyboard.press("ArrowRight");
  check((await state(page)).time > item.other_t, "the key for the next row does nothing");
}

// The tab of the steps: their sizes are drawn and said for the present time, and a click sets the time.
async function watchSteps(page, { steps, from, to }) {
  const tabs = await boxOf(page.locator(".tabs"));
  const last = await boxOf(page.locator(".tabs button").last());
  check(last.x + last.width <= tabs.x + tabs.width, "the tabs do not fit");
  await page.getByRole("tab", { name: "Steps" }).click();
  await page.locator("#history-size canvas").waitFor({ timeout: 300000 });
  const drawn = await page.locator("#history-iterations canvas").count();
  check(drawn === (steps.iterations > 0 ? 1 : 0), "iterations are drawn where there are none, or not drawn");
  await page.evaluate((t) => window.viewer.setTime(t), steps.t);
  const said = await page.locator("#history-now").textContent();
  const size = Number(/steps of (\S+) s/.exec(said)?.[1]);
  check(Math.abs(size - steps.size) <= 1e-3 * steps.size, `'${said}' does not give the size ${steps.size}`);
  // the report has those of the last stage
  const solves = Number(/, (\d+) iterations$/.exec(said)?.[1] ?? 0);
  check(solves >= steps.iterations, `'${said}' has fewer than ${steps.iterations} iterations`);
  const over = await boxOf(page.locator("#history-size .u-over"));
  await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
  const off = Math.abs((await state(page)).time - (from + to) / 2);
  check(off < 0.02 * (to - from), "a click into the sizes of the steps does not set the time");
}

// The trail of a body is that of its centre and of its free frames.
async function watchTrail(page, { body, point }) {
  await page.locator(".tree .row", { hasText: body }).first().click();
  await page.getByRole("button", { name: "Trail", exact: true }).click();
  const near = (p) => Math.hypot(...p.map((x, k) => x - point[k])) < 1e-9;
  const { trails } = await state(page);
  check(trails.length === 2, `${body} has ${trails.length} trails, not 2`);
  check(
    trails.some((t) => near(t.point)),
    `the point ${point} of ${body} draws no trail`,
  );
}

// The colour of the scene at a point of space.
const colourAt = (point) => {
  window.viewer.draw();
  const canvas = document.querySelector("#canvas canvas");
  const frame = canvas.getBoundingClientRect();
  const { x, y } = window.viewer.pixelAt(point);
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [1, 1];
  const context = copy.getContext("2d");
  const scale = canvas.width / frame.width;
  context.drawImage(canvas, (x - frame.left) * scale, (y - frame.top) * scale, 1, 1, 0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data];
};

// Arrows of contact forces: each begins at the point of contact and has the direction and, by the scale of
// the page, the size of the force; green is the normal force, orange the friction.
async function watchContacts(page, { t, arrows, scale }) {
  await page.evaluate((time) => window.viewer.setTime(time), t);
  await page.keyboard.press("p");
  await nextFrame(page);
  const drawn = (await state(page)).arrows.filter((a) => a.load === "contacts");
  check(drawn.length === arrows.length, `${drawn.length} arrows of contacts are drawn, not ${arrows.length}`);
  for (const { point, force, colour } of arrows) {
    const size = Math.hypot(...force);
    const off = (a) =>
      Math.hypot(...a.begin.map((x, k) => x - point[k])) +
      Math.hypot(...a.end.map((x, k) => (x - a.begin[k]) * (a.size / a.length) - force[k])) / size;
    for (const a of drawn) a.length = Math.hypot(...a.end.map((x, k) => x - a.begin[k]));
    const a = drawn.reduce((best, other) => (off(other) < off(best) ? other : best));
    check(off(a) < 1e-5, `there is no arrow of ${force} N at ${point}: ${JSON.stringify(drawn)}`);
    const middle = a.begin.map((x, k) => x + 0.4 * (a.end[k] - x));
    const [red, green] = await page.evaluate(colourAt, middle);
    check(colour === "green" ? green > red + 30 : red > green + 30, `the arrow of ${force} N is not seen`);
  }
  const said = await page.locator(".scale:not(.hidden)").textContent();
  check(said.includes(scale), `the scale of the arrows is '${said}', without '${scale}'`);
  await page.keyboard.press("p");
  await nextFrame(page);
  check((await state(page)).arrows.length === 0, "the arrows cannot be put away");
}

async function watchModes(page, item) {
  await page.keyboard.press("Space");
  const at = () => page.evaluate((n) => window.viewer.positionOf(n), item.moving);
  const first = await at();
  let moved = 0;
  for (let i = 0; i < 20 && !(moved > 0); i++) {
    await page.waitForTimeout(60);
    moved = Math.hypot(...(await at()).map((x, k) => x - first[k]));
  }
  check(moved > 0, "the mode does not swing");
  await page.selectOption("#mode", "1");
  check((await state(page)).mode === 1, "the second mode cannot be chosen");
}

async function watchHostile(page, item) {
  const text = await page.evaluate(() => document.body.innerText);
  for (const word of item.words) check(text.includes(word), `'${word}' is not shown as text`);
  check(!(await page.evaluate(() => "hacked" in window)), "a script of the model has run");
  check(
    (await page.locator("img, iframe, object, link").count()) === 0,
    "an element of the model is in the page",
  );
  check((await page.locator("script:not([type])").count()) === 1, "there is more than one script");
}

// By the keyboard: the search, the list of names below it, and back.
async function watchNames(page) {
  const rows = () => page.$$eval(".tree .row", (all) => all.map((r) => r.tabIndex));
  const focused = () =>
    page.evaluate(() => {
      const e = document.activeElement;
      return e.querySelector("span")?.textContent ?? e.className;
    });
  const selected = async () => (await state(page)).selected;
  check((await rows()).filter((i) => i === 0).length === 1, "not one of the names is reached by Tab");
  await page.keyboard.press("/");
  await page.keyboard.type("b");
  await page.keyboard.press("ArrowDown");
  check((await focused()) === "ball", `down from the search goes to ${await focused()}`);
  await page.keyboard.press("ArrowDown");
  check((await focused()) === "block", `down from ball goes to ${await focused()}`);
  await page.keyboard.press("Enter");
  check((await selected()) === "block", `Enter selects ${await selected()}`);
  const marked = await page.$$eval('.tree [aria-selected="true"] span', (all) =>
    all.map((s) => s.textContent),
  );
  check(marked.join() === "block", `marked as selected: ${marked}`);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  check((await focused()) === "search", `up from the first name goes to ${await focused()}`);
  await page.keyboard.press("Enter");
  check((await selected()) === "ball", `Enter in the search selects ${await selected()}`);
  await page.keyboard.press("Escape");
  check((await page.inputValue(".search")) === "", "Escape does not clear the search");
  await page.keyboard.press("Escape");
  check((await focused()) !== "search", "Escape does not leave the search");
}

// Every control has a name, and roles have the parts that they ask for.
async function watchLabels(page) {
  const bare = await page.$$eval("button, input, select, canvas", (all) => {
    const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length;
    return all
      .filter((e) => !e.closest("dialog:not([open]), .u-wrap") && !named(e))
      .map((e) => e.outerHTML.slice(0, 80));
  });
  check(bare.length === 0, `controls without a name: ${bare.join("; ")}`);
  const signs = await page.$$eval("header button", (all) => all.map((e) => e.getAttribute("aria-label")));
  check(signs.every(Boolean), `buttons of the header have the names ${signs}`);
  const strange = await page.$$eval('[role="listbox"] > *, [role="listbox"] [role="group"] > *', (all) =>
    all.filter((e) => !["group", "option"].includes(e.getAttribute("role")) && !e.ariaHidden).length,
  );
  check(strange === 0, `${strange} elements of the list of names are neither groups nor names`);
}

// A click on the floor selects nothing, whatever is below it.
async function watchGround(page) {
  await page.evaluate(() => window.viewer.select(null));
  const at = await page.evaluate(() => window.viewer.pixelOf("cellar"));
  await page.mouse.click(at.x, at.y);
  check((await state(page)).selected === null, `the floor selects ${(await state(page)).selected}`);
}

// Light or dark is remembered; a link shows the same time, selection and view.
async function watchMemory(page, item) {
  const before = (await state(page)).dark;
  await page.getByRole("button", { name: "light or dark" }).click();
  await page.reload();
  await page.waitForFunction(() => window.viewer);
  check((await state(page)).dark === !before, "light or dark is forgotten");
  await page.keyboard.press("2");
  await page.evaluate((t) => window.viewer.setTime(t), item.t);
  await page.locator(".tree .row", { hasText: "block" }).first().click();
  await page.getByRole("button", { name: "copy a link" }).click();
  const wanted = await state(page);
  const link = page.url();
  check(link.includes("#t="), `the address is ${link}`);
  await page.goto("about:blank");
  await page.goto(link);
  await page.waitForFunction(() => window.viewer);
  const found = await state(page);
  check(Math.abs(found.time - wanted.time) < 1e-6, `the link shows the time ${found.time}`);
  check(found.selected === "block", `the link selects ${found.selected}`);
  const off = Math.max(...found.from.map((x, k) => Math.abs(x - wanted.from[k])));
  check(off < 1e-4, `the link shows it from ${found.from}, not ${wanted.from}`);
  await page.goto(link.replace(/#.*/, "#t=x&from=1,2&zoom=-1&select=<b>"));
  await nextFrame(page);
}

async function watchHand(page, item) {
  await watchLabels(page);
  await watchNames(page);
  await watchGround(page);
  await watchMemory(page, item);
}

await runPlan(async (browser, item) => {
  const page = await openPage(browser, item.page);
  await untilDrawn(page);
  if (item.kind !== "hostile") {
    const share = await page.evaluate(drawnShare);
    check(share > 0.004, `the scene is blank (${share})`);
  }
  if (["run", "fit"].includes(item.kind)) await watchFit(page, item);
  if (item.widths) for (const width of item.widths) await watchChannels(page, width);
  if (item.kind === "floor") await watchFloor(page, item);
  if (Number.isFinite(item.ground)) {
    const { ground } = await state(page);
    check(Math.abs(ground[2] - item.ground) < 1e-9, `the grid is drawn at a height of ${ground[2]}`);
  }
  if (item.way) await watchWay(page, item);
  if (item.hit) await watchHit(page, item.hit);
  if (item.kind === "run") await watchRun(page, item);
  if (item.steps) await watchSteps(page, item);
  if (item.traced) await watchTrail(page, item.traced);
  if (item.kind === "hand") await watchHand(page, item);
  if (item.contacts) await watchContacts(page, item.contacts);
  if (item.kind === "modes") await watchModes(page, item);
  if (item.kind === "hostile") await watchHostile(page, item);
  if (item.kind === "note") {
    await page.getByRole("tab", { name: "Run" }).click();
    const text = await page.evaluate(() => document.body.innerText);
    check(text.includes(item.word), `'${item.word}' is not shown`);
  }
  checkConsole(page);
  if (process.env.TRAMMEL_SHOTS)
    await page.screenshot({ path: `${process.env.TRAMMEL_SHOTS}/${item.name}.png` });
});
