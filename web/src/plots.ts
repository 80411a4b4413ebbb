// Plots beside the scene: channels over time, an axis per unit, one cursor for all.
import uPlot from "uplot";
import { Channel, Data, cursorAt, format, valueAt } from "./data";
import { visible } from "./dom";
import { palette } from "./look";
import { axisStyle, timeHooks } from "./timeplot";

interface Panel {
  host: HTMLElement;
  channels: Channel[];
  plot: uPlot | null;
  legend: HTMLElement;
}

// Of an axis of values [px]: its numbers, and its unit where a panel has several.
const AXIS = 56;
const LABEL = 18;
const EDGE = 16; // beside a plot without an axis on the right
const LEAST = 82; // height of a plot
const LINE = 20; // of the legend in a picture

const unitsOf = (panel: Panel) => [...new Set(panel.channels.map((c) => c.unit || "1"))];

const tick = (x: number) => (x === null ? "" : format(Number(x.toPrecision(5))));

/** Rows of two results in the order of their times: where those of the first and of the second are in it. */
function mergeTimes(a: Float64Array, b: Float64Array): { t: number[]; a: number[]; b: number[] } {
  const merged = { t: [] as number[], a: [] as number[], b: [] as number[] };
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const first = j >= b.length || a[i] <= b[j];
    merged[first ? "a" : "b"].push(merged.t.length);
    merged.t.push(first ? a[i++] : b[j++]);
  }
  return merged;
}

export class Plots {
  readonly panels: Panel[] = [];
  onTime: (t: number) => void = () => undefined;
  /** Where the time axis begins and ends [px], from the borders of the element. */
  onAxis: (left: number, right: number) => void = () => undefined;
  private time = 0;
  private beside: Data | null = null;
  private layout = { left: 1, right: 0, label: 0 }; // axes beside the plots, and the place of their units

  constructor(
    private readonly host: HTMLElement,
    private readonly data: Data,
  ) {
    new ResizeObserver(() => this.resize()).observe(host);
    this.accept(host, () => this.addPanel());
  }

  // Dropping a channel on an element adds it to the panel that `where` gives.
  private accept(element: HTMLElement, where: () => Panel): void {
    element.addEventListener("dragover", (e) => {
      e.preventDefault();
      e.stopPropagation();
      element.classList.add("drop");
    });
    element.addEventListener("dragleave", () => element.classList.remove("drop"));
    element.addEventListener("drop", (e) => {
      e.preventDefault();
      e.stopPropagation();
      element.classList.remove("drop");
      const channel = this.data.byName.get(e.dataTransfer?.getData("text/plain") ?? "");
      if (channel) this.addChannel(channel, where());
    });
  }

  private addPanel(): Panel {
    const host = document.createElement("div");
    host.className = "plot";
    const legend = document.createElement("div");
    legend.className = "legend";
    host.append(legend);
    this.host.append(host);
    const panel: Panel = { host, channels: [], plot: null, legend };
    this.panels.push(panel);
    new ResizeObserver(() => this.resize()).observe(legend); // it may need another line for long numbers
    this.accept(host, () => panel);
    return panel;
  }

  /** What is shown at first: from the top. */
  begin(channels: Channel[]): void {
    for (const c of channels) this.addChannel(c);
    this.host.scrollTop = 0;
  }

  /** Into a panel, or the last one if its channels have the unit, or a new one. */
  addChannel(channel: Channel, panel?: Panel): void {
    const last = this.panels[this.panels.length - 1];
    const target =
      panel ?? (last && last.channels.some((c) => c.unit === channel.unit) ? last : this.addPanel());
    if (!target.channels.includes(channel)) target.channels.push(channel);
    this.drawWith(target);
    target.host.scrollIntoView({ block: "nearest" });
  }

  removeChannel(panel: Panel, channel: Channel): void {
    panel.channels = panel.channels.filter((c) => c !== channel);
    if (panel.channels.length === 0) {
      panel.plot?.destroy();
      panel.host.remove();
      this.panels.splice(this.panels.indexOf(panel), 1);
      this.drawWith(null);
    } else this.drawWith(panel);
  }

  // A panel that has changed; and the others, if the time must have another place in all of them.
  private drawWith(changed: Panel | null): void {
    const before = this.layout;
    const most = (f: (n: number) => number) =>
      this.panels.reduce((a, p) => Math.max(a, f(unitsOf(p).length)), 0);
    this.layout = {
      left: most((n) => Math.ceil(n / 2)),
      right: most((n) => Math.floor(n / 2)),
      label: most((n) => n) > 1 ? LABEL : 0,
    };
    const same = JSON.stringify(before) === JSON.stringify(this.layout);
    for (const p of this.panels) if (p === changed || !same) this.draw(p);
    this.resize();
  }

  private draw(panel: Panel): void {
    panel.plot?.destroy();
    const units = unitsOf(panel);
    const axis = axisStyle();
    const { left, right, label } = this.layout;
    const spare = (all: number, own: number) => (all - own) * (AXIS + label);
    const [ownLeft, ownRight] = [Math.ceil(units.length / 2), Math.floor(units.length / 2)];
    const options: uPlot.Options = {
      width: 300,
      height: 120,
      legend: { show: false },
      padding: [8, spare(right, ownRight) + (right ? 0 : EDGE), 0, spare(left, ownLeft)],
      cursor: { sync: { key: "time", setSeries: false }, drag: { x: true, y: false }, points: { size: 6 } },
      scales: {
        x: { time: false, range: (_, low, high) => this.within(low, high) },
        ...Object.fromEntries(units.map((u) => [u, {}])),
      },
      axes: [
        { ...axis, size: 26, values: (_: uPlot, v: number[]) => v.map(tick) },
        ...units.map((u, k) => ({
          ...axis,
          scale: u,
          side: (k % 2 ? 1 : 3) as uPlot.Axis.Side,
          size: AXIS,
          space: 24,
          label: label ? (u === "1" ? " " : u) : undefined,
          labelSize: label,
          grid: { ...axis.grid, show: k === 0 },
          values: (_: uPlot, v: number[]) => v.map(tick),
        })),
      ],
      series: [
        {},
        ...panel.channels.map((c, k) => this.series(c, k)),
        ...this.besideOf(panel).map(([c, k]) => ({ ...this.series(c, k), dash: [6, 4], width: 1.3 })),
      ],
      hooks: timeHooks(
        () => this.time,
        (t) => this.onTime(t),
      ),
    };
    panel.plot = new uPlot(options, this.valuesOf(panel), panel.host);
    this.drawLegend(panel);
  }

  private series(c: Channel, k: number): uPlot.Series {
    return {
      label: c.name,
      scale: c.unit || "1",
      stroke: palette[k % palette.length],
      width: 1.6,
      pxAlign: 0, // whole pixels make steps of a gentle slope
      points: { show: false },
      spanGaps: this.beside !== null, // rows of the other result are between
    };
  }

  // The same channels of the result beside, with the places of their colours.
  private besideOf(panel: Panel): [Channel, number][] {
    return panel.channels.flatMap((c, k): [Channel, number][] => {
      const other = this.beside?.byName.get(c.name);
      return other && other.unit === c.unit ? [[other, k]] : [];
    });
  }

  // The time axis is that of the result of the page.
  private within(low: number, high: number): [number, number] {
    const { t } = this.data;
    return t.length > 1 ? [Math.max(low, t[0]), Math.min(high, t[t.length - 1])] : [low, high];
  }

  private valuesOf(panel: Panel): uPlot.AlignedData {
    const { t } = this.data;
    if (!this.beside) return [Array.from(t), ...panel.channels.map((c) => Array.from(c.values))];
    const merged = mergeTimes(t, this.beside.t);
    const column = (c: Channel, rows: number[]) => {
      const values = new Array<number | null>(merged.t.length).fill(null);
      rows.forEach((row, i) => (values[row] = c.values[i]));
      return values;
    };
    return [
      merged.t,
      ...panel.channels.map((c) => column(c, merged.a)),
      ...this.besideOf(panel).map(([c]) => column(c, merged.b)),
    ];
  }

  /** Show the curves of another result too; null: no more. */
  setBeside(data: Data | null): void {
    this.beside = data;
    this.redraw();
  }

  /** There are new rows. A plot that is zoomed stays so. */
  update(): void {
    for (const p of this.panels) {
      if (!p.plot) continue;
      const { min, max } = p.plot.scales.x;
      const x = p.plot.data[0];
      const whole = min === undefined || (min! <= x[0] && max! >= x[x.length - 1]);
      p.plot.setData(this.valuesOf(p), whole);
    }
  }

  private drawLegend(panel: Panel): void {
    panel.legend.replaceChildren(
      ...panel.channels.map((c, k) => {
        const chip = document.createElement("span");
        chip.className = "chip";
        const dot = document.createElement("i");
        dot.style.background = palette[k % palette.length];
        const name = document.createElement("span");
        name.textContent = c.name;
        const value = document.createElement("b");
        value.dataset.channel = c.name;
        const close = document.createElement("button");
        close.textContent = "×";
        close.title = `remove ${c.name} from the plot`;
        close.ariaLabel = close.title;
        close.addEventListener("click", () => this.removeChannel(panel, c));
        const unit = document.createElement("small");
        unit.textContent = c.unit === "1" ? "" : c.unit;
        const other = document.createElement("small");
        other.dataset.beside = c.name;
        chip.append(dot, name, value, other, unit, close);
        return chip;
      }),
    );
    this.showValues();
  }

  private valueOf: (c: Channel) => number = () => NaN;

  setTime(t: number, valueOf: (c: Channel) => number): void {
    this.time = t;
    this.valueOf = valueOf;
    for (const p of this.panels) p.plot?.redraw(false, false);
    this.showValues();
  }

  private showValues(): void {
    for (const p of this.panels)
      for (const b of p.legend.querySelectorAll("b")) {
        const c = this.data.byName.get(b.dataset.channel ?? "");
        if (c) b.textContent = format(this.valueOf(c));
      }
    if (this.beside) this.showBeside(this.beside);
  }

  private showBeside(data: Data): void {
    const at = cursorAt(data.t, this.time);
    for (const p of this.panels)
      for (const small of p.legend.querySelectorAll<HTMLElement>("[data-beside]")) {
        const c = data.byName.get(small.dataset.beside ?? "");
        small.textContent = c ? `(${format(valueAt(c, at))})` : "";
      }
  }

  private resize(): void {
    const n = this.panels.length;
    document.getElementById("plots-empty")?.classList.toggle("hidden", n > 0);
    for (const p of this.panels) {
      p.host.style.minHeight = `${p.legend.clientHeight + LEAST}px`;
      const height = p.host.clientHeight - p.legend.clientHeight - 2;
      p.plot?.setSize({ width: Math.max(120, p.host.clientWidth), height: Math.max(80, height) });
    }
    this.tellAxis();
  }

  private tellAxis(): void {
    const axis = this.panels[0]?.plot?.over.getBoundingClientRect();
    const own = this.host.getBoundingClientRect();
    if (axis && axis.width > 0) this.onAxis(axis.left - own.left, own.right - axis.right);
  }

  // ---- into a picture -------------------------------------------------------------------------------------

  /** The height of all panels in a picture of some width [px]. */
  heightFor(width: number): number {
    return this.panels.reduce((sum, p) => sum + this.heightOf(p, width), 0);
  }

  private heightOf({ plot, host }: Panel, width: number): number {
    if (!plot || !host.clientWidth) return 0;
    const scale = width / host.clientWidth;
    return Math.round(plot.height * scale + LINE * scale);
  }

  /** All panels below each other, with their names and values. */
  paint(context: CanvasRenderingContext2D, top: number, width: number): void {
    for (const panel of this.panels) {
      const height = this.heightOf(panel, width);
      if (!panel.plot || !height) continue;
      const scale = width / panel.host.clientWidth;
      this.paintLegend(context, panel, top + 14 * scale, width, scale);
      context.drawImage(panel.plot.ctx.canvas, 0, top + LINE * scale, width, height - LINE * scale);
      top += height;
    }
  }

  // In one line, smaller if it is long.
  private paintLegend(
    context: CanvasRenderingContext2D,
    panel: Panel,
    base: number,
    width: number,
    scale: number,
  ): void {
    const gap = 12 * scale;
    const texts = panel.channels.map((c) => {
      const unit = c.unit === "1" ? "" : c.unit;
      return `${visible(c.name)} ${format(this.valueOf(c))} ${visible(unit)}`;
    });
    const font = (px: number) => (context.font = `${px}px system-ui, sans-serif`);
    font(12 * scale);
    const length = texts.reduce((sum, text) => sum + context.measureText(text).width + gap, 0);
    font(12 * scale * Math.min(1, width / length));
    let x = gap / 2;
    texts.forEach((text, k) => {
      context.fillStyle = palette[k % palette.length];
      context.fillText(text, x, base);
      x += context.measureText(text).width + gap * Math.min(1, width / length);
    });
  }

  redraw(): void {
    for (const p of this.panels) this.draw(p);
    this.resize();
  }
}
