// The page: builds its parts and runs the clock.
import { Vector3 } from "three";
import { Preset, Stage } from "./camera";
import { Channel, Cursor, Data, cursorAt, format, readData, valueAt } from "./data";
import { el, visible } from "./dom";
import { Inspector } from "./inspector";
import { Live, LiveState } from "./live";
import { themes } from "./look";
import { Motion } from "./motion";
import { Plots } from "./plots";
import { isRecording, record } from "./record";
import { Tree } from "./tree";
import { Item } from "./items";
import { World } from "./world";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const MODE_SECONDS = 1.6; // of one oscillation on the screen

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

class Viewer {
  private readonly data: Data = readData();
  private readonly motion: Motion | null;
  private readonly world: World | null;
  private readonly stage: Stage | null = null;
  private readonly plots: Plots;
  private readonly inspector: Inspector;
  private readonly tree: Tree | null = null;
  private readonly slider: HTMLInputElement;
  private readonly sub = el("span", { class: "sub" });
  private readonly flags = el("div", { class: "marks" });
  private readonly clock = el("output", { "aria-label": "time" });
  private readonly playButton: HTMLButtonElement;
  private readonly speedChoice: HTMLSelectElement;
  private readonly main = el("main");
  private readonly help = el("dialog");
  private readonly strainScale = el("div", { class: "scale hidden" });
  private readonly arrowScale = el("div", { class: "scale hidden" });
  private readonly toggles = new Map<string, HTMLButtonElement>();
  private time: number;
  private at: Cursor = { i: 0, f: 0 };
  private mode = 0;
  private phase = 0;
  private amplitude = 1;
  private playing = false;
  private loop = true;
  private speed = 1;
  private dark = matchMedia("(prefers-color-scheme: dark)").matches;
  private selected: Item | null = null;
  private dirty = true;
  private last = 0;
  private live: Live | null = null;
  private liveState: LiveState | null = null;
  private following = true; // the time goes with the newest row

  constructor() {
    const { data } = this;
    const scene = data.scene && data.scene.bodies ? data.scene : null;
    document.documentElement.classList.toggle("dark", this.dark);
    document.title = data.info.title ? `${visible(data.info.title)} – Trammel` : "Trammel";
    this.motion = scene ? new Motion(data, scene) : null;
    this.world =
      scene && this.motion ? new World(data, scene, this.motion, themes[this.dark ? "dark" : "light"]) : null;
    this.time = data.t[0] ?? 0;
    this.playButton = el(
      "button",
      {
        class: "play",
        title: "play or pause (space)",
        "aria-label": "play",
        click: () => this.setPlaying(!this.playing),
      },
      "▶",
    );
    this.slider = el("input", {
      type: "range",
      min: "0",
      max: "10000",
      step: "1",
      value: "0",
      "aria-label": "time line",
    });
    this.slider.addEventListener("input", () => this.scrub(Number(this.slider.value) / 10000));
    this.speedChoice = el("select", { "aria-label": "speed" });

    const app = document.getElementById("app")!;
    const left = el("aside", { class: "left" });
    const right = el("aside", { class: "right" });
    const canvas = el("div", { id: "canvas" });
    const plots = el(
      "div",
      { id: "plots" },
      el("div", { id: "plots-empty" }, "Drag a value here to plot it, or press + beside it."),
    );
    this.main.append(canvas, this.transport(), plots);
    app.append(this.header(), left, this.main, right);
    this.main.style.setProperty("--plots", data.info.modes ? "44px" : "170px");
    app.classList.toggle("plots-only", !this.world);
    if (this.world) {
      this.tree = new Tree(left, this.world.items);
      this.tree.onSelect = (item) => this.select(item);
    }
    this.plots = new Plots(plots, data);
    this.plots.onTime = (t) => this.setTime(t);
    this.inspector = new Inspector(right, data, this.world, {
      plot: (c) => this.plots.addChannel(c),
      follow: (item) => this.follow(item),
      trail: (item) => this.trail(item),
      focus: (item) => this.lookAt(item),
      time: (t) => this.setTime(t),
    });
    if (this.world) this.stage = this.makeStage(canvas);
    else
      canvas.append(
        el(
          "p",
          { class: "hint" },
          "This result holds no scene. Run the model again, or give it with --model.",
        ),
      );
    app.append(this.help);
    this.fillHelp();
    document.addEventListener("keydown", (e) => this.onKey(e));
    this.setTime(this.time);
    if (data.info.modes) this.setPlaying(true);
    else this.firstPlots().forEach((c) => this.plots.addChannel(c));
    if (isRecording()) {
      this.startRecording();
      return;
    }
    if (data.info.live)
      this.live = new Live(
        data,
        () => this.onRows(),
        (s) => this.onLive(s),
      );
    requestAnimationFrame((t) => this.frame(t));
  }

  private startRecording(): void {
    const { stage, world } = this;
    if (!stage || !world) return;
    document.documentElement.classList.add("bare");
    document.documentElement.classList.remove("dark");
    world.setTheme(themes.light);
    const host = document.getElementById("canvas")!;
    stage.renderer.setPixelRatio(1);
    void record({
      canvas: stage.renderer.domElement,
      setSize: (width, height) => {
        Object.assign(host.style, { width: `${width}px`, height: `${height}px` });
        stage.resize();
        this.fit();
      },
      look: (preset) => this.look(preset),
      drawAt: (time) => {
        this.setTime(time);
        this.draw();
      },
    });
  }

  // ---- a result that grows --------------------------------------------------------------------------------

  private onRows(): void {
    const { t } = this.data;
    this.plots.update();
    this.inspector.refresh();
    this.world?.refresh();
    this.fillMarks();
    this.setTime(this.following && !this.playing ? t[t.length - 1] : this.time);
  }

  private onLive(state: LiveState): void {
    if (state === "ended" && this.liveState === "running") this.setFollowing(false);
    this.liveState = state;
    const button = this.toggles.get("live");
    button?.classList.toggle("hidden", state !== "running");
    this.fillSub();
  }

  private setFollowing(on: boolean): void {
    this.following = on;
    this.toggles.get("live")?.classList.toggle("on", on);
    const { t } = this.data;
    if (on && this.liveState === "running") {
      this.setPlaying(false);
      this.setTime(t[t.length - 1]);
    }
  }

  // ---- parts of the page ----------------------------------------------------------------------------------

  private header(): HTMLElement {
    const { info } = this.data;
    const button = (text: string, title: string, click: () => void) => el("button", { title, click }, text);
    this.fillSub();
    return el(
      "header",
      {},
      el("span", { class: "logo" }, "Trammel"),
      el("h1", { id: "title" }, visible(info.title || "result")),
      this.sub,
      el("span", { class: "spring" }),
      button("◐", "light or dark (d)", () => this.setDark(!this.dark)),
      button("?", "keys (?)", () => this.help.showModal()),
    );
  }

  private fillSub(): void {
    const { info } = this.data;
    const still = this.motion?.still.length ?? 0;
    const sub = [
      this.data.info.modes
        ? `${info.rows} modes`
        : `${format(this.data.t[0])} .. ${format(this.data.t[this.data.t.length - 1])} s`,
      this.data.scene
        ? count(this.data.scene.bodies.length, "body", "bodies") +
          ", " +
          count(this.data.scene.joints.length, "joint", "joints")
        : "no scene",
      still ? `${still} bodies at rest: their motion is not in the result` : "",
      this.world?.thinned ? "simplified drawing: many bodies" : "",
      this.stateText(),
    ];
    this.sub.textContent = sub.filter(Boolean).join(" · ");
  }

  private stateText(): string {
    const { info } = this.data;
    if (this.liveState === "gone") return "the server has gone: this is what it showed last";
    if (this.liveState === "running") return "the run goes on";
    // tables of other programs say nothing about a run
    return info.notes.version && !info.notes.report && !info.modes ? "the run did not reach its end" : "";
  }

  private fillMarks(): void {
    const { t, marks } = this.data;
    const span = t[t.length - 1] - t[0];
    this.flags.replaceChildren();
    for (const m of marks) {
      if (!(m.t >= t[0] && m.t <= t[t.length - 1]) || !(span > 0)) continue;
      const flag = el("div", {
        class: `mark ${["note", "event"].includes(m.kind) ? m.kind : ""}`,
        title: `${format(m.t)} s: ${visible(m.text)}`,
      });
      flag.style.left = `${(100 * (m.t - t[0])) / span}%`;
      flag.addEventListener("click", () => this.setTime(m.t));
      this.flags.append(flag);
    }
  }

  private transport(): HTMLElement {
    const { info, t } = this.data;
    const step = (title: string, text: string, click: () => void) =>
      el("button", { title, "aria-label": title, click }, text);
    if (info.modes) return this.modeTransport();
    SPEEDS.forEach((s) => this.speedChoice.append(el("option", { value: String(s) }, `${s}×`)));
    this.speed = this.firstSpeed();
    this.speedChoice.value = String(this.speed);
    this.speedChoice.addEventListener("change", () => (this.speed = Number(this.speedChoice.value)));
    const line = el("div", { class: "line" }, this.slider);
    this.fillMarks();
    line.append(this.flags);
    const loop = step("loop (l)", "⟲", () => this.setLoop(!this.loop));
    loop.classList.add("on");
    this.toggles.set("loop", loop);
    const live = step("show the newest row as it comes (End)", "Live", () =>
      this.setFollowing(!this.following),
    );
    live.classList.add("on", "hidden");
    this.toggles.set("live", live);
    return el(
      "div",
      { class: "transport" },
      step("to the start (Home)", "|◀", () => this.setTime(t[0])),
      step("one row back (←)", "◀", () => this.step(-1)),
      this.playButton,
      step("one row forward (→)", "▶|", () => this.step(1)),
      loop,
      live,
      this.speedChoice,
      line,
      this.clock,
    );
  }

  // A run of a few seconds plays in real time, a long or short one so that it takes about ten.
  private firstSpeed(): number {
    const { t } = this.data;
    const span = t[t.length - 1] - t[0];
    if (span >= 1.5 && span <= 30) return 1;
    return SPEEDS.reduce(
      (a, b) => (Math.abs(Math.log(span / b / 10)) < Math.abs(Math.log(span / a / 10)) ? b : a),
      1,
    );
  }

  private modeTransport(): HTMLElement {
    const hz = this.data.byName.get("hz");
    const damping = this.data.byName.get("damping");
    const choice = el("select", { id: "mode", "aria-label": "mode" });
    for (let i = 0; i < this.data.info.kept; i++) {
      const percent = format(100 * (damping?.values[i] ?? 0));
      const text = `mode ${i + 1}: ${format(hz?.values[i] ?? NaN)} Hz, damping ${percent} %`;
      choice.append(el("option", { value: String(i) }, text));
    }
    choice.addEventListener("change", () => this.setMode(Number(choice.value)));
    const size = el("input", {
      type: "range",
      min: "0",
      max: "3",
      step: "0.01",
      value: "1",
      "aria-label": "amplitude",
    });
    size.addEventListener("input", () => {
      this.amplitude = Number(size.value);
      this.dirty = true;
    });
    return el(
      "div",
      { class: "transport" },
      this.playButton,
      choice,
      el("label", {}, "amplitude ", size),
      el("span", { class: "spring" }),
      this.clock,
    );
  }

  private makeStage(canvas: HTMLElement): Stage {
    const world = this.world!;
    const stage = new Stage(canvas, world);
    stage.onPick = (item) => this.select(item);
    stage.controls.addEventListener("change", () => (this.dirty = true));
    new ResizeObserver(() => (this.dirty = true)).observe(canvas);
    const views = el("div", { class: "tools" });
    const view = (text: string, title: string, preset: Preset) =>
      views.append(el("button", { title, click: () => this.look(preset) }, text));
    views.append(el("button", { title: "fit (f)", click: () => this.fit() }, "Fit"));
    view("3D", "from the corner (1)", "iso");
    view("Front", "front (2)", "front");
    view("Side", "from the right (3)", "right");
    view("Top", "top (4)", "top");
    this.addToggle(views, "ortho", "Ortho", "orthographic (o)", stage.isOrthographic, (on) =>
      stage.setOrthographic(on),
    );
    const along = "go along with the selected or the heaviest body (c)";
    this.addToggle(views, "follow", "Follow", along, false, (on) => {
      this.follow(on ? (this.selected ?? world.leader) : null);
      this.fit();
    });
    const shows = el("div", { class: "tools show" });
    const flag = (key: keyof World["show"], text: string, title: string) =>
      this.addToggle(shows, key, text, title, false, (on) => {
        world.show[key] = on;
        this.strainScale.classList.toggle("hidden", !world.show.strain);
        this.showArrowScale();
      });
    const { arrows } = world;
    if (arrows.has("forces"))
      flag("forces", "Reactions", "reaction forces of the joints on their second bodies (r)");
    if (arrows.has("moments")) flag("moments", "Moments", "reaction moments of the joints (m)");
    if (arrows.has("contacts"))
      flag("contacts", "Contacts", "points of contact, with normal forces and friction (p)");
    if (arrows.has("forces") || arrows.has("contacts")) {
      const size = el("input", {
        type: "range",
        min: "-1",
        max: "1",
        step: "0.01",
        value: "0",
        title: "length of the arrows",
        "aria-label": "length of the arrows",
      });
      size.addEventListener("input", () => {
        arrows.scale = Math.pow(10, Number(size.value));
        this.showArrowScale();
        this.dirty = true;
      });
      shows.append(el("label", {}, size));
    }
    if (!this.data.info.modes)
      this.addToggle(shows, "trails", "Trails", "paths of the bodies (t)", false, (on) => this.setTrails(on));
    if (world.beams.length && world.largestStrain > 0)
      flag("strain", "Strain", "strain of the beams in colours (s)");
    flag("frames", "Axes", "axes of bodies and frames (a)");
    this.strainScale.append("strain 0", el("i"), format(Number(world.largestStrain.toPrecision(3))));
    const scales = el("div", { class: "scales" }, this.strainScale, this.arrowScale);
    canvas.append(el("div", { class: "toolbar" }, views, shows), scales);
    if (world.wantsFollowing) this.showFollow(world.leader, stage);
    stage.look(world.model.planar ? "front" : "iso"); // below the toolbar
    return stage;
  }

  // What an arrow of a known length means: that of the ruler beside it.
  private showArrowScale(): void {
    const { show, arrows } = this.world!;
    const force = show.forces || show.contacts;
    const texts = [
      force ? `${format(Number(arrows.ofLength("force").toPrecision(3)))} N` : "",
      show.moments ? `${format(Number(arrows.ofLength("moment").toPrecision(3)))} N m` : "",
    ].filter(Boolean);
    this.arrowScale.classList.toggle("hidden", texts.length === 0);
    const key = (kind: string, text: string) => el("span", { class: `key ${kind}` }, text);
    this.arrowScale.replaceChildren(
      ...(show.forces ? [key("force", "reaction")] : []),
      ...(show.moments ? [key("moment", "moment")] : []),
      ...(show.contacts ? [key("contact", "normal")] : []),
      ...(show.contacts && arrows.haveFriction ? [key("friction", "friction")] : []),
      el("span", {}, `arrow of ${format(Number(arrows.reach.toPrecision(2)))} m: ${texts.join(", ")}`),
    );
  }

  private addToggle(
    host: HTMLElement,
    key: string,
    text: string,
    title: string,
    on: boolean,
    set: (on: boolean) => void,
  ): void {
    const button = el("button", { title, "data-toggle": key }, text);
    button.classList.toggle("on", on);
    button.addEventListener("click", () => {
      set(button.classList.toggle("on"));
      this.dirty = true;
    });
    this.toggles.set(key, button);
    host.append(button);
  }

  private fillHelp(): void {
    const keys: [string, string][] = [
      ["space", "play, pause"],
      ["← →", "one row back, forward; with shift ten"],
      ["Home End", "start, end"],
      ["+ −", "faster, slower"],
      ["l", "loop"],
      ["f", "fit the mechanism into the picture"],
      ["1 2 3 4", "views: corner, front, side, top"],
      ["o c", "orthographic, follow a body"],
      ["r m", "reaction forces, moments"],
      ["p", "points of contact and their forces"],
      ["t s a", "trails, strain, axes"],
      ["Esc", "select nothing, follow nothing"],
      ["/", "search"],
      ["d", "light, dark"],
    ];
    const body = el("tbody");
    for (const [key, text] of keys)
      body.append(
        el(
          "tr",
          {},
          el("td", {}, ...key.split(" ").flatMap((k) => [el("kbd", {}, k), " "])),
          el("td", {}, text),
        ),
      );
    this.help.append(
      el("h2", {}, "Keys"),
      el("table", {}, body),
      el(
        "p",
        {},
        "Left button: turn. Right button: move. Wheel: near or far. A click selects; drag in a plot to " +
          "zoom, double click to zoom out, click to set the time.",
      ),
      el("button", { click: () => this.help.close() }, "Close"),
    );
  }

  // What the user has asked for: outputs; else the energies.
  private firstPlots(): Channel[] {
    const states = this.data.channels.filter(
      (c) => !c.name.includes(".") && !c.constant && !["t", "step"].includes(c.name),
    );
    if (states.length) return states.slice(0, 1);
    return ["energy.kinetic", "energy.potential"]
      .map((n) => this.data.byName.get(n))
      .filter((c) => c !== undefined);
  }

  // ---- what a person does ---------------------------------------------------------------------------------

  private onKey(e: KeyboardEvent): void {
    const typing = e.target instanceof HTMLInputElement && e.target.type === "search";
    if (e.ctrlKey || e.metaKey || e.altKey || this.help.open) return;
    if (typing) {
      if (e.key === "Escape") (e.target as HTMLElement).blur();
      return;
    }
    const { t } = this.data;
    const many = e.shiftKey ? 10 : 1;
    const table: Record<string, () => void> = {
      " ": () => this.setPlaying(!this.playing),
      ArrowLeft: () => this.step(-many),
      ArrowRight: () => this.step(many),
      Home: () => this.setTime(t[0]),
      End: () => {
        this.setFollowing(true);
        this.setTime(t[t.length - 1]);
      },
      "+": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      l: () => this.setLoop(!this.loop),
      f: () => this.fit(),
      "1": () => this.look("iso"),
      "2": () => this.look("front"),
      "3": () => this.look("right"),
      "4": () => this.look("top"),
      o: () => this.toggles.get("ortho")?.click(),
      c: () => this.toggles.get("follow")?.click(),
      r: () => this.toggles.get("forces")?.click(),
      m: () => this.toggles.get("moments")?.click(),
      p: () => this.toggles.get("contacts")?.click(),
      t: () => this.toggles.get("trails")?.click(),
      s: () => this.toggles.get("strain")?.click(),
      a: () => this.toggles.get("frames")?.click(),
      d: () => this.setDark(!this.dark),
      "/": () => this.tree?.search.focus(),
      "?": () => this.help.showModal(),
      Escape: () => {
        this.select(null);
        this.follow(null);
      },
    };
    const act = table[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }

  private setPlaying(on: boolean): void {
    const { t } = this.data;
    if (on && this.liveState === "running") this.setFollowing(false);
    if (on && !this.loop && this.time >= t[t.length - 1]) this.setTime(t[0]);
    this.playing = on;
    this.playButton.textContent = on ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-label", on ? "pause" : "play");
    this.last = 0;
  }

  private setLoop(on: boolean): void {
    this.loop = on;
    this.toggles.get("loop")?.classList.toggle("on", on);
  }

  private changeSpeed(by: number): void {
    const k = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by));
    this.speed = SPEEDS[k];
    this.speedChoice.value = String(this.speed);
  }

  private step(rows: number): void {
    if (this.data.info.modes)
      return this.setMode((this.mode + Math.sign(rows) + this.data.info.kept) % this.data.info.kept);
    this.setPlaying(false);
    this.setFollowing(false);
    const { t } = this.data;
    // from between two rows a step back goes to the row before
    const from = this.at.f > 0 && rows < 0 ? this.at.i + 1 : this.at.i;
    this.setTime(t[Math.min(t.length - 1, Math.max(0, from + rows))]);
  }

  private scrub(share: number): void {
    const { t } = this.data;
    this.setPlaying(false);
    this.setFollowing(false);
    this.setTime(t[0] + share * (t[t.length - 1] - t[0]));
  }

  setTime(time: number): void {
    const { t } = this.data;
    if (this.data.info.modes) return this.setMode(this.mode);
    this.time = Math.min(t[t.length - 1], Math.max(t[0], time));
    this.at = this.motion?.setTime(this.time) ?? cursorAt(t, this.time);
    const span = t[t.length - 1] - t[0];
    this.slider.value = String(span > 0 ? (10000 * (this.time - t[0])) / span : 0);
    this.clock.textContent = `${format(Number(this.time.toFixed(6)))} s`;
    this.showValues();
    this.dirty = true;
  }

  private setMode(mode: number): void {
    this.mode = mode;
    this.at = { i: mode, f: 0 };
    const choice = document.getElementById("mode") as HTMLSelectElement | null;
    if (choice) choice.value = String(mode);
    this.clock.textContent = `mode ${mode + 1} of ${this.data.info.kept}`;
    this.showValues();
    this.dirty = true;
  }

  private readonly valueOf = (c: Channel): number => valueAt(c, this.at);

  private showValues(): void {
    this.inspector?.update(this.valueOf);
    this.inspector?.setTime(this.time);
    this.plots?.setTime(this.data.info.modes ? this.mode : this.time, this.valueOf);
  }

  select(item: Item | null): void {
    this.selected = item;
    this.world?.highlight(item);
    this.tree?.mark(item);
    this.inspector.select(item);
    this.inspector.update(this.valueOf);
    this.dirty = true;
  }

  private follow(item: Item | null): void {
    if (this.stage) this.showFollow(item, this.stage);
    this.dirty = true;
  }

  private showFollow(item: Item | null, stage: Stage): void {
    stage.setFollow(item);
    const button = this.toggles.get("follow")!;
    button.classList.toggle("on", item !== null);
    button.textContent = item ? `Follow ${visible(item.name)}` : "Follow";
    stage.resize(); // the toolbar may need another line
  }

  private trail(item: Item): void {
    if (!this.toggles.get("trails")?.classList.contains("on")) this.toggles.get("trails")?.click();
    this.world?.setTrail(item.index, true);
    this.dirty = true;
  }

  private setTrails(on: boolean): void {
    const world = this.world!;
    world.show.trails = on;
    const bodies = world.items.filter((i) => i.kind === "body");
    const chosen = this.selected?.kind === "body" ? [this.selected] : bodies.slice(0, 40);
    for (const b of on ? chosen : bodies) world.setTrail(b.index, on);
  }

  private lookAt(item: Item): void {
    if (!this.stage || !this.world) return;
    const d = new Vector3().subVectors(this.world.placeOf(item), this.stage.controls.target);
    this.stage.controls.target.add(d);
    this.stage.camera.position.add(d);
    this.stage.controls.update();
    this.dirty = true;
  }

  private look(preset: Preset): void {
    this.stage?.look(preset);
    if (this.stage?.follow) this.stage.setFollow(this.stage.follow);
    this.dirty = true;
  }

  private fit(): void {
    this.stage?.fit();
    if (this.stage?.follow) this.stage.setFollow(this.stage.follow);
    this.dirty = true;
  }

  private setDark(on: boolean): void {
    this.dark = on;
    document.documentElement.classList.toggle("dark", on);
    this.world?.setTheme(themes[on ? "dark" : "light"]);
    this.plots.redraw();
    this.inspector.redraw();
    this.showValues();
    this.dirty = true;
  }

  // ---- clock ----------------------------------------------------------------------------------------------

  private frame(now: number): void {
    const seconds = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    if (this.playing) this.advance(seconds);
    if (this.data.info.modes && this.motion && (this.dirty || this.playing)) {
      const size = this.motion.modeSize(this.mode);
      const scale = size > 0 ? (0.12 * this.world!.size * this.amplitude) / size : this.amplitude * 0.5;
      this.at = this.motion.setMode(this.mode, this.phase, scale);
      this.dirty = true;
    }
    if (this.dirty) this.draw();
    requestAnimationFrame((t) => this.frame(t));
  }

  draw(): void {
    this.dirty = false;
    this.world?.update(this.at);
    this.stage?.render();
  }

  private advance(seconds: number): void {
    if (this.data.info.modes) {
      this.phase = (this.phase + (2 * Math.PI * seconds) / MODE_SECONDS) % (2 * Math.PI);
      return;
    }
    const { t } = this.data;
    const end = t[t.length - 1];
    let next = this.time + seconds * this.speed;
    if (next > end) {
      next = this.loop ? t[0] : end;
      if (!this.loop) this.setPlaying(false);
    }
    this.setTime(next);
  }

  // ---- for tests and the console --------------------------------------------------------------------------

  get state() {
    return {
      time: this.time,
      playing: this.playing,
      selected: this.selected?.name ?? null,
      mode: this.mode,
      phase: this.phase,
      rows: this.data.t.length,
      end: this.data.t[this.data.t.length - 1],
      live: this.liveState,
      updates: this.live?.updates ?? 0,
      trails: this.world?.traced ?? [],
      ground: this.world?.ground.toArray() ?? null,
      follows: this.stage?.follow?.name ?? null,
      arrows: this.world?.arrows.drawn ?? [],
    };
  }

  /** Where on the page an element is seen. */
  pixelOf(name: string): { x: number; y: number } | null {
    const item = this.world?.items.find((i) => i.name === name);
    return item && this.stage && this.world ? this.stage.pixelOf(this.world.placeOf(item)) : null;
  }

  pixelAt([x, y, z]: number[]): { x: number; y: number } | null {
    return this.stage?.pixelOf(new Vector3(x, y, z)) ?? null;
  }

  /** Names of the elements of a kind. */
  names(kind: string): string[] {
    return this.world?.items.filter((i) => i.kind === kind).map((i) => i.name) ?? [];
  }

  positionOf(name: string): number[] | null {
    const item = this.world?.items.find((i) => i.name === name);
    return item && this.world ? this.world.placeOf(item).toArray() : null;
  }
}

declare global {
  interface Window {
    viewer: Viewer;
  }
}
try {
  window.viewer = new Viewer();
} catch (e) {
  // most likely a browser without WebGL
  document
    .getElementById("app")!
    .replaceChildren(
      el(
        "p",
        { class: "note" },
        `This page cannot be shown here: ${e instanceof Error ? e.message : String(e)}`,
      ),
    );
  throw e;
}
