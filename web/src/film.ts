// A film of the page, by the recorder of the browser: the scene, and the plots below it if they are wanted.
import { el } from "./dom";
import { Plots } from "./plots";
import { save } from "./share";

// In the order in which they are taken: what most programs show first.
const TYPES: [string, string][] = [
  ["video/mp4;codecs=avc1.640028", "mp4"],
  ["video/webm;codecs=vp9", "webm"],
  ["video/webm", "webm"],
];
const HOLD = 600; // [ms] of the last frame
const SLICE = 100; // [ms] after which the recorder hands over what it has coded
const PATIENCE = 30e3; // [ms] until it hands over anything
const BITS = 8e6; // [1/s]

const even = (x: number) => 2 * Math.ceil(x / 2); // as encoders want it

export function filmType(): [string, string] | null {
  if (typeof MediaRecorder === "undefined" || !HTMLCanvasElement.prototype.captureStream) return null;
  return TYPES.find(([type]) => MediaRecorder.isTypeSupported(type)) ?? null;
}

class Film {
  private readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];
  private readonly sceneHeight: number;
  private coded = 0; // [ms] when the recorder last handed over something
  private longestGap = 0; // [ms] between two such times: a slow machine codes later than it draws

  /** ended: after the file has been offered. */
  constructor(
    private readonly scene: HTMLCanvasElement,
    private readonly plots: Plots | null,
    private readonly caption: () => string,
    [type, ending]: [string, string],
    ended: (file: string) => void,
  ) {
    this.sceneHeight = scene.height;
    this.canvas.width = even(scene.width);
    this.canvas.height = even(scene.height + (plots?.heightFor(scene.width) ?? 0));
    this.recorder = new MediaRecorder(this.canvas.captureStream(), {
      mimeType: type,
      videoBitsPerSecond: BITS,
    });
    this.recorder.addEventListener("dataavailable", (e) => this.keep(e.data));
    this.recorder.addEventListener("stop", () => {
      save(new Blob(this.parts, { type: type.split(";")[0] }), `trammel.${ending}`);
      ended(`trammel.${ending}`);
    });
    this.addFrame();
    this.coded = performance.now();
    this.recorder.start(SLICE);
  }

  private keep(data: Blob): void {
    if (!data.size) return;
    this.parts.push(data);
    const now = performance.now();
    this.longestGap = Math.max(this.longestGap, now - this.coded);
    this.coded = now;
  }

  /** What the page shows now. */
  addFrame(): void {
    const { context, canvas, scene } = this;
    const style = getComputedStyle(document.documentElement);
    context.fillStyle = style.getPropertyValue("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(scene, 0, 0, canvas.width, this.sceneHeight);
    const size = Math.max(12, Math.round(canvas.width / 60));
    context.font = `${size}px system-ui, sans-serif`;
    context.fillStyle = style.getPropertyValue("--ink");
    context.fillText(this.caption(), size, this.sceneHeight - size);
    this.plots?.paint(context, this.sceneHeight, canvas.width);
  }

  /** After the last frame has been seen for a while. The recorder drops what it has not yet coded: it is
   * ended when nothing has come from it for longer than ever before. */
  stop(): void {
    this.addFrame();
    setTimeout(() => this.addFrame(), HOLD / 2);
    setTimeout(() => this.finish(), HOLD);
  }

  private finish(): void {
    const quiet = this.parts.length ? Math.max(HOLD / 2, 2 * this.longestGap) : PATIENCE;
    const rest = quiet - (performance.now() - this.coded);
    if (rest > 0) setTimeout(() => this.finish(), Math.min(rest, HOLD / 2));
    else if (this.recorder.state !== "inactive") this.recorder.stop();
  }
}

/** What the page does for a film. */
interface FilmActions {
  caption: () => string; // what is written into the corner
  begin: () => void; // go to the start and play once
  show: (on: boolean) => void; // that a film is being made
  ended: (file: string) => void;
}

export class Studio {
  private film: Film | null = null;

  constructor(
    private readonly scene: HTMLCanvasElement,
    private readonly plots: Plots,
    private readonly actions: FilmActions,
  ) {}

  /** Asks what a film shall show; ends the one that is being made. */
  ask(): void {
    if (this.film) return this.end();
    const ask = el("dialog", { "aria-label": "Film" });
    const choice = (text: string, act: () => void) =>
      el("button", { click: () => (ask.close(), act()) }, text);
    ask.append(
      el("h2", {}, "Film"),
      el("p", {}, "The motion is recorded once from its start at the chosen speed; the button ends it."),
      el(
        "div",
        { class: "actions" },
        choice("Scene", () => this.begin(false)),
        choice("Scene and plots", () => this.begin(true)),
        choice("Cancel", () => undefined),
      ),
    );
    ask.addEventListener("close", () => ask.remove());
    document.body.append(ask);
    ask.showModal();
  }

  private begin(withPlots: boolean): void {
    const type = filmType();
    if (!type) return;
    const { caption, begin, show, ended } = this.actions;
    begin();
    const plots = withPlots && this.plots.panels.length ? this.plots : null;
    this.film = new Film(this.scene, plots, caption, type, ended);
    show(true);
  }

  /** The page has drawn the scene; plots follow after what is being done now. */
  addFrame(): void {
    if (this.film) queueMicrotask(() => this.film?.addFrame());
  }

  /** The motion has come to its end, or was stopped. */
  end(): void {
    if (!this.film) return;
    this.film.stop();
    this.film = null;
    this.actions.show(false);
  }
}
