// The bar below the scene: play and pause, the time line with its marks, the speed; or of modes their choice
// and amplitude.
import { Data, format } from "./data";
import { el, visible } from "./dom";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** What a person asks for. */
export interface TransportActions {
  play: () => void;
  step: (rows: number) => void;
  time: (t: number) => void;
  scrub: (share: number) => void; // of the whole time
  loop: () => void;
  live: () => void;
  mode: (k: number) => void;
  amplitude: (x: number) => void;
}

export class Transport {
  readonly element: HTMLElement;
  speed = 1;
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly liveButton: HTMLButtonElement;
  private readonly clock = el("output", { "aria-label": "time" });
  private readonly flags = el("div", { class: "marks" });
  private readonly speedChoice = el("select", { "aria-label": "speed" });
  private readonly modeChoice = el("select", { id: "mode", "aria-label": "mode" });
  private readonly slider: HTMLInputElement;

  constructor(
    private readonly data: Data,
    private readonly actions: TransportActions,
  ) {
    const { t } = data;
    const button = (title: string, text: string, click: () => void) =>
      el("button", { title, "aria-label": title, click }, text);
    this.playButton = button("play or pause (space)", "▶", actions.play);
    this.playButton.classList.add("play");
    this.playButton.setAttribute("aria-label", "play");
    this.loopButton = button("loop (l)", "⟲", actions.loop);
    this.loopButton.classList.add("on");
    this.liveButton = button("show the newest row as it comes (End)", "Live", actions.live);
    this.liveButton.classList.add("on", "hidden");
    this.slider = el("input", {
      type: "range",
      min: "0",
      max: "10000",
      step: "1",
      value: "0",
      "aria-label": "time line",
    });
    this.slider.addEventListener("input", () => actions.scrub(Number(this.slider.value) / 10000));
    SPEEDS.forEach((s) => this.speedChoice.append(el("option", { value: String(s) }, `${s}×`)));
    this.speedChoice.addEventListener("change", () => (this.speed = Number(this.speedChoice.value)));
    this.setSpeed(firstSpeed(t[t.length - 1] - t[0]));
    this.fillMarks();
    this.element = data.info.modes
      ? this.ofModes()
      : el(
          "div",
          { class: "transport" },
          button("to the start (Home)", "|◀", () => actions.time(t[0])),
          button("one row back (←)", "◀", () => actions.step(-1)),
          this.playButton,
          button("one row forward (→)", "▶|", () => actions.step(1)),
          this.loopButton,
          this.liveButton,
          this.speedChoice,
          this.clock,
          el("div", { class: "line" }, this.slider, this.flags),
        );
  }

  private ofModes(): HTMLElement {
    const { data, actions } = this;
    const hz = data.byName.get("hz");
    const damping = data.byName.get("damping");
    for (let i = 0; i < data.info.kept; i++) {
      const percent = format(100 * (damping?.values[i] ?? 0));
      const text = `mode ${i + 1}: ${format(hz?.values[i] ?? NaN)} Hz, damping ${percent} %`;
      this.modeChoice.append(el("option", { value: String(i) }, text));
    }
    this.modeChoice.addEventListener("change", () => actions.mode(Number(this.modeChoice.value)));
    const size = el("input", {
      type: "range",
      min: "0",
      max: "3",
      step: "0.01",
      value: "1",
      "aria-label": "amplitude",
    });
    size.addEventListener("input", () => actions.amplitude(Number(size.value)));
    return el(
      "div",
      { class: "transport" },
      this.playButton,
      this.modeChoice,
      el("label", {}, "amplitude ", size),
      el("span", { class: "spring" }),
      this.clock,
    );
  }

  /** Marks of the time line: events, discontinuities, singular configurations. */
  fillMarks(): void {
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
      flag.addEventListener("click", () => this.actions.time(m.t));
      this.flags.append(flag);
    }
  }

  showTime(time: number): void {
    const { t } = this.data;
    const span = t[t.length - 1] - t[0];
    this.slider.value = String(span > 0 ? (10000 * (time - t[0])) / span : 0);
    this.clock.textContent = `${format(Number(time.toFixed(6)))} s`;
  }

  showMode(mode: number): void {
    this.modeChoice.value = String(mode);
    this.clock.textContent = `mode ${mode + 1} of ${this.data.info.kept}`;
  }

  /** Another control, before the clock. */
  add(element: HTMLElement): void {
    this.clock.before(element);
  }

  /** What the clock shows. */
  get caption(): string {
    return this.clock.textContent ?? "";
  }

  /** The time line goes as far as the time axis of the plots [px from the borders]. */
  align(before: number, after: number): void {
    this.element.style.setProperty("--before", `${before}px`);
    this.element.style.setProperty("--after", `${after}px`);
  }

  showPlaying(on: boolean): void {
    this.playButton.textContent = on ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-label", on ? "pause" : "play");
  }

  showLoop(on: boolean): void {
    this.loopButton.classList.toggle("on", on);
  }

  /** running: more rows may come; follows: the newest one is shown. */
  showLive(running: boolean, follows: boolean): void {
    this.liveButton.classList.toggle("hidden", !running);
    this.liveButton.classList.toggle("on", follows);
  }

  /** To a faster (1) or slower (-1) speed. */
  changeSpeed(by: number): void {
    const k = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, k))]);
  }

  private setSpeed(speed: number): void {
    this.speed = speed;
    this.speedChoice.value = String(speed);
  }
}

// A run of a few seconds plays in real time, a long or short one so that it takes about ten.
function firstSpeed(span: number): number {
  if (span >= 1.5 && span <= 30) return 1;
  const miss = (s: number) => Math.abs(Math.log(span / s / 10));
  return SPEEDS.reduce((a, b) => (miss(b) < miss(a) ? b : a), 1);
}
