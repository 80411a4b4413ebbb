// How long a frame of a page of `trammel view` takes at 800 x 600 in the software renderer.
// usage: node speed.mjs CHROMIUM PLAYWRIGHT PAGE.html [FRAMES]   (playwright-core of web/node_modules)
// Prints JSON: milliseconds of CPU time per frame (all processes of the browser), of wall time, calls and
// triangles; then, of the page as it plays, frames per second and CPU time per frame. CPU time depends less
// on load. The page around the scene is put together without the renderer of the scene, which would take
// 0.1 s of CPU time for it whatever the scene is.
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [chromiumPath, playwrightPath, pagePath, count = "30"] = process.argv.slice(2);
const { chromium } = (await import(pathToFileURL(playwrightPath).href)).default;
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
  ],
});

// CPU time [ms] of the processes that descend from this one.
function cpu() {
  const parent = new Map();
  const time = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      const f = text.slice(text.lastIndexOf(")") + 2).split(" ");
      parent.set(Number(name), Number(f[1]));
      time.set(Number(name), 10 * (Number(f[11]) + Number(f[12]))); // ticks of 10 ms
    } catch {
      // it has ended
    }
  }
  const descends = (pid) => {
    for (let p = parent.get(pid); p > 1; p = parent.get(p)) if (p === process.pid) return true;
    return false;
  };
  let sum = 0;
  for (const pid of time.keys()) if (descends(pid)) sum += time.get(pid);
  return sum;
}

const page = await browser.newPage({ viewport: { width: 1320, height: 853 }, reducedMotion: "reduce" });
page.setDefaultTimeout(300000);
await page.goto(pathToFileURL(pagePath).href);
await page.waitForFunction(() => window.viewer);
const draw = (n) =>
  page.evaluate((frames) => {
    const { stage, world, data } = window.viewer;
    const gl = stage.renderer.getContext();
    const pixel = new Uint8Array(4);
    const begin = performance.now();
    for (let i = 0; i < frames; i++) {
      window.viewer.setTime(data.t[0] + ((data.t[data.t.length - 1] - data.t[0]) * (i + 1)) / frames);
      world.update(window.viewer.at);
      stage.render();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is drawn
    }
    const { calls, triangles } = stage.renderer.info.render;
    const { width, height } = stage.renderer.domElement;
    return { wall: (performance.now() - begin) / frames, calls, triangles, size: `${width}x${height}` };
  }, n);
await draw(3); // shaders are compiled
const before = cpu();
const result = await draw(Number(count));
result.cpu = (cpu() - before) / Number(count);

// as a person sees it: frames that the page draws while it plays
const play = (seconds) =>
  page.evaluate(async (s) => {
    const { stage } = window.viewer;
    const render = stage.render.bind(stage);
    let frames = 0;
    stage.render = () => (frames++, render());
    const begin = performance.now();
    await new Promise((go) => setTimeout(go, 1000 * s));
    stage.render = render;
    return { frames, rate: frames / ((performance.now() - begin) / 1000) };
  }, seconds);
await page.keyboard.press("Space");
await play(1);
const start = cpu();
const { frames, rate } = await play(5);
result.playing = { rate, cpu: (cpu() - start) / frames };
console.log(JSON.stringify(result));
await browser.close();
