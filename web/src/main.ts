// The page: puts its parts together and runs the clock.
import { Vector3 } from "three";
import { Beside } from "./beside";
import { Preset, Stage } from "./camera";
import { Channel, Cursor, Data, countBeside, cursorAt, readData, valueAt } from "./data";
import { el, visible } from "./dom";
import { Studio, filmType } from "./film";
import { Header } from "./header";
import { Inspector } from "./inspector";
import { Item } from "./items";
import { Keys } from "./keys";
import { Live, LiveState } from "./live";
import { themes } from "./look";
import { Motion } from "./motion";
import { Panels, layOut } from "./panels";
import { Plots } from "./plots";
import { isRecording, record } from "./record";
import { readLink, rememberDark, rememberedDark } from "./remember";
import { copyLink, copyPicture } from "./share";
import { Toolbar } from "./toolbar";
import { Transport } from "./transport";
import { Tree } from "./tree";
import { World } from "./world";

const MODE_SECONDS = 1.6; // of one oscillation on the screen
const PLOT = 170; // height of the plots [px]
const MORE_PLOTS = 90; // with a second one
const FIRST_PANELS = 2;
const FIRST_CURVES = 4; // of a panel

class Viewer {
  private readonly data: Data = readData();
  private readonly motion: Motion | null;
  private readonly world: World | null;
  private readonly header: Header;
  private readonly transport: Transport;
  private readonly plots: Plots;
  private readonly inspector: Inspector;
  private readonly stage: Stage | null = null;
  private readonly toolbar: Toolbar | null = null;
  private readonly tree: Tree | null = null;
  private time: number;
  private at: Cursor = { i: 0, f: 0 };
  private mode = 0;
  private phase = 0;
  private amplitude = 1;
  private playing = false;
  private loop = true;
  private dark = rememberedDark() ?? matchMedia("(prefers-color-scheme: dark)").matches;
  private selected: Item | null = null;
  private dirty = true;
  private last = 0;
  private live: Live | null = null;
  private liveState: LiveState | null = null;
  private following = true; // the time goes with the newest row
  private readonly studio: Studio | null = null; // where films are made
  private readonly panels: Panels;
  private readonly beside: Beside | null;

  constructor() {
    const { data } = this;
    const scene = data.scene && data.scene.bodies ? data.scene : null;
    document.documentElement.classList.toggle("dark", this.dark);
    document.title = data.info.title ? `${visible(data.info.title)} – Trammel` : "Trammel";
    this.motion = scene ? new Motion(data, scene) : null;
    this.world =
      scene && this.motion ? new World(data, scene, this.motion, themes[this.dark ? "dark" : "light"]) : null;
    this.time = data.t[0] ?? 0;

    const keys = this.makeKeys();
    this.header = this.makeHeader(keys);
    this.transport = this.makeTransport();
    const { app, main, left, right, canvas, plots } = layOut(this.header.element, this.transport.element);
    app.append(keys.help);
    app.classList.toggle("plots-only", !this.world);
    if (this.world) {
      this.tree = new Tree(left, this.world.items);
      this.tree.onSelect = (item) => {
        this.select(item);
        this.panels.closeDrawers();
      };
    }
    this.plots = new Plots(plots, data);
    this.plots.onTime = (t) => this.setTime(t);
    this.plots.onAxis = (before, after) => this.transport.align(before, after);
    this.inspector = new Inspector(right, data, this.world, {
      plot: (c) => this.plots.addChannel(c),
      follow: (item) => this.follow(item),
      trail: (item) => this.trail(item),
      focus: (item) => this.lookAt(item),
      time: (t) => this.setTime(t),
    });
    this.panels = new Panels(app, {
      left: { panel: left, border: left },
      right: { panel: right, border: right },
      plots: { panel: plots, border: this.transport.element },
    });
    app.append(this.panels.scrim, this.panels.drawers);
    if (!data.info.modes) this.plots.begin(this.firstPlots());
    this.beside = countBeside() ? this.makeBeside(countBeside()) : null;
    const height = data.info.modes ? 44 : PLOT + (this.plots.panels.length > 1 ? MORE_PLOTS : 0);
    main.style.setProperty("--plots-first", `min(${height}px, 32vh)`);
    if (this.world) {
      this.stage = this.makeStage(canvas, this.world);
      this.studio = this.makeStudio(this.stage);
      this.toolbar = this.makeToolbar(canvas, this.world, this.stage);
      if (this.world.wantsFollowing) this.follow(this.world.leader);
      this.stage.look(this.world.model.planar ? "front" : "iso"); // below the toolbar
    } else canvas.append(this.noScene());
    this.setTime(this.time);
    const linked = this.showLinked();
    addEventListener("hashchange", () => this.showLinked());
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
    else if (this.world && !linked && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      this.setPlaying(true);
    requestAnimationFrame((t) => this.frame(t));
  }

  // ---- parts of the page ----------------------------------------------------------------------------------

  private makeKeys(): Keys {
    const { t } = this.data;
    return new Keys({
      playOrPause: () => this.setPlaying(!this.playing),
      step: (rows) => this.step(rows),
      toStart: () => this.setTime(t[0]),
      toEnd: () => {
        this.setFollowing(true);
        this.setTime(this.data.t[this.data.t.length - 1]);
      },
      changeSpeed: (by) => this.transport.changeSpeed(by),
      loop: () => this.setLoop(!this.loop),
      fit: () => this.fit(),
      look: (preset) => this.look(preset),
      toggle: (tool) => this.toolbar?.toggle(tool),
      deselect: () => {
        this.select(null);
        this.follow(null);
      },
      search: () => this.tree?.search.focus(),
      lightOrDark: () => this.chooseDark(!this.dark),
    });
  }

  private makeHeader(keys: Keys): Header {
    return new Header(this.data, this.world, {
      film: this.world && filmType() ? () => this.studio?.ask() : null,
      link: () => void this.copyLink(),
      picture: () => void this.copyPicture(),
      lightOrDark: () => this.chooseDark(!this.dark),
      help: () => keys.showHelp(),
    });
  }

  private makeTransport(): Transport {
    return new Transport(this.data, {
      play: () => this.setPlaying(!this.playing),
      step: (rows) => this.step(rows),
      time: (t) => this.setTime(t),
      scrub: (share) => this.scrub(share),
      loop: () => this.setLoop(!this.loop),
      live: () => this.setFollowing(!this.following),
      mode: (k) => this.setMode(k),
      amplitude: (x) => {
        this.amplitude = x;
        this.dirty = true;
      },
    });
  }

  private makeStage(canvas: HTMLElement, world: World): Stage {
    const stage = new Stage(canvas, world);
    stage.onPick = (item) => this.select(item);
    stage.controls.addEventListener("change", () => (this.dirty = true));
    new ResizeObserver(() => (this.dirty = true)).observe(canvas);
    return stage;
  }

  private makeToolbar(canvas: HTMLElement, world: World, stage: Stage): Toolbar {
    const actions = {
      fit: () => this.fit(),
      look: (preset: Preset) => this.look(preset),
      orthographic: (on: boolean) => stage.setOrthographic(on),
      follow: (on: boolean) => {
        this.follow(on ? (this.selected ?? world.leader) : null);
        this.fit();
      },
      trails: (on: boolean) => this.setTrails(on),
      changed: () => {
        this.dirty = true;
      },
    };
    const toolbar = new Toolbar(world, this.data, actions, stage.isOrthographic);
    canvas.append(toolbar.element, toolbar.scales);
    return toolbar;
  }

  private makeBeside(count: number): Beside {
    const beside = new Beside(count, this.world, themes[this.dark ? "dark" : "light"]);
    beside.onChange = () => {
      this.plots.setBeside(beside.data);
      this.setTime(this.time);
    };
    this.plots.setBeside(beside.data);
    this.transport.add(beside.element);
    return beside;
  }

  private noScene(): HTMLElement {
    const text = "This result holds no scene. Run the model again, or give it with --model.";
    return el("p", { class: "hint" }, text);
  }

  // What the user has asked for: outputs, those of a unit together; else the energies.
  private firstPlots(): Channel[] {
    const own = this.data.channels.filter(
      (c) => !c.name.includes(".") && !c.constant && !["t", "step"].includes(c.name),
    );
    if (own.length === 0)
      return ["energy.kinetic", "energy.potential"]
        .map((n) => this.data.byName.get(n))
        .filter((c) => c !== undefined);
    const units = [...new Set(own.map((c) => c.unit))].slice(0, FIRST_PANELS);
    return units.flatMap((u) => own.filter((c) => c.unit === u).slice(0, FIRST_CURVES));
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
    this.transport.fillMarks();
    this.setTime(this.following && !this.playing ? t[t.length - 1] : this.time);
  }

  private onLive(state: LiveState): void {
    if (state === "ended" && this.liveState === "running") this.setFollowing(false);
    this.liveState = state;
    this.transport.showLive(state === "running", this.following);
    this.header.fill(state);
  }

  private setFollowing(on: boolean): void {
    this.following = on;
    const running = this.liveState === "running";
    this.transport.showLive(running, on);
    const { t } = this.data;
    if (on && running) {
      this.setPlaying(false);
      this.setTime(t[t.length - 1]);
    }
  }

  // ---- time -----------------------------------------------------------------------------------------------

  private setPlaying(on: boolean): void {
    const { t } = this.data;
    if (on && this.liveState === "running") this.setFollowing(false);
    if (on && !this.loop && this.time >= t[t.length - 1]) this.setTime(t[0]);
    if (!on && this.playing) this.studio?.end();
    this.playing = on;
    this.transport.showPlaying(on);
    this.last = 0;
  }

  private setLoop(on: boolean): void {
    this.loop = on;
    this.transport.showLoop(on);
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
    this.transport.showTime(this.time);
    this.showValues();
    this.dirty = true;
  }

  private setMode(mode: number): void {
    this.mode = mode;
    this.at = { i: mode, f: 0 };
    this.transport.showMode(mode);
    this.showValues();
    this.dirty = true;
  }

  private readonly valueOf = (c: Channel): number => valueAt(c, this.at);

  private showValues(): void {
    this.inspector.update(this.valueOf);
    this.inspector.setTime(this.time);
    this.plots.setTime(this.data.info.modes ? this.mode : this.time, this.valueOf);
  }

  // ---- what is selected, followed and looked at -----------------------------------------------------------

  select(item: Item | null): void {
    this.selected = item;
    this.world?.highlight(item);
    this.tree?.mark(item);
    this.inspector.select(item);
    this.inspector.update(this.valueOf);
    this.dirty = true;
  }

  private follow(item: Item | null): void {
    this.stage?.setFollow(item);
    this.toolbar?.showFollow(item?.name ?? null);
    this.stage?.resize(); // the toolbar may need another line
    this.dirty = true;
  }

  private trail(item: Item): void {
    if (!this.toolbar?.isOn("trails")) this.toolbar?.toggle("trails");
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

  private chooseDark(on: boolean): void {
    rememberDark(on);
    this.setDark(on);
  }

  private setDark(on: boolean): void {
    this.dark = on;
    document.documentElement.classList.toggle("dark", on);
    this.world?.setTheme(themes[on ? "dark" : "light"]);
    this.beside?.setTheme(themes[on ? "dark" : "light"]);
    this.plots.redraw();
    this.inspector.redraw();
    this.showValues();
    this.dirty = true;
  }

  // ---- links, pictures, films -----------------------------------------------------------------------------

  private async copyLink(): Promise<void> {
    const time = this.data.info.modes ? this.mode : this.time;
    this.header.tell(await copyLink(this.stage, time, this.selected?.name ?? null));
  }

  private async copyPicture(): Promise<void> {
    if (!this.stage) return;
    this.draw();
    this.header.tell(await copyPicture(this.stage.renderer.domElement));
  }

  private makeStudio(stage: Stage): Studio {
    let loop = this.loop; // before the film
    return new Studio(stage.renderer.domElement, this.plots, {
      caption: () => this.transport.caption,
      begin: () => {
        loop = this.loop;
        this.setLoop(false);
        this.setTime(this.data.t[0]);
        this.draw();
        this.setPlaying(true);
      },
      show: (on) => this.header.showFilming(on),
      ended: (file) => {
        this.setLoop(loop);
        this.header.tell(`The film is saved as ${file}.`);
      },
    });
  }

  // What the address asks for; false if it has no link.
  private showLinked(): boolean {
    const link = readLink(location.hash);
    const { stage, world } = this;
    if (link.time !== undefined && this.data.info.modes)
      this.setMode(Math.min(this.data.info.kept - 1, Math.max(0, Math.round(link.time))));
    else if (link.time !== undefined) this.setTime(link.time);
    const item = world?.items.find((i) => i.name === link.selected);
    if (item) this.select(item);
    if (!stage || !link.from || !link.at) return link.time !== undefined;
    if (link.flat !== undefined && link.flat !== stage.isOrthographic) this.toolbar?.toggle("ortho");
    this.follow(null);
    stage.camera.position.fromArray(link.from);
    stage.controls.target.fromArray(link.at);
    if (link.zoom !== undefined && link.zoom > 0) stage.camera.zoom = link.zoom;
    stage.camera.updateProjectionMatrix();
    stage.controls.update();
    this.dirty = true;
    return true;
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
    this.beside?.setTime(this.time);
    this.stage?.render();
    this.studio?.addFrame();
  }

  private advance(seconds: number): void {
    if (this.data.info.modes) {
      this.phase = (this.phase + (2 * Math.PI * seconds) / MODE_SECONDS) % (2 * Math.PI);
      return;
    }
    const { t } = this.data;
    const end = t[t.length - 1];
    let next = this.time + seconds * this.transport.speed;
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
      dark: this.dark,
      from: this.stage?.camera.position.toArray() ?? null,
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

  /** beside: of the result beside. */
  positionOf(name: string, beside = false): number[] | null {
    if (beside) return this.beside?.positionOf(name) ?? null;
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
