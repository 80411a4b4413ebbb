// Plots beside the scene: channels over time, an axis per unit, one cursor for all.
import uPlot from "uplot";
import { Channel, Data, format } from "./data";
import { palette } from "./look";
import { axisStyle, timeHooks } from "./timeplot";

interface Panel {
  host: HTMLElement;
  channels: Channel[];
  plot: uPlot | null;
  legend: HTMLElement;
}

const tick = (x: number) => (x === null ? "" : format(Number(x.toPrecision(5))));

export class Plots {
  readonly panels: Panel[] = [];
  onTime: (t: number) => void = () => undefined;
  private readonly sync = uPlot.sync("time");
  private time = 0;

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

  /** Into a panel, or the last one if its channels have the unit, or a new one. */
  addChannel(channel: Channel, panel?: Panel): void {
    const last = this.panels[this.panels.length - 1];
    const target =
      panel ?? (last && last.channels.some((c) => c.unit === channel.unit) ? last : this.addPanel());
    if (!target.channels.includes(channel)) target.channels.push(channel);
    this.draw(target);
    this.resize();
    target.host.scrollIntoView({ block: "nearest" });
  }

  removeChannel(panel: Panel, channel: Channel): void {
    panel.channels = panel.channels.filter((c) => c !== channel);
    if (panel.channels.length === 0) {
      panel.plot?.destroy();
      panel.host.remove();
      this.panels.splice(this.panels.indexOf(panel), 1);
    } else this.draw(panel);
    this.resize();
  }

  private draw(panel: Panel): void {
    panel.plot?.destroy();
    const units = [...new Set(panel.channels.map((c) => c.unit || "1"))];
    const axis = axisStyle();
    const options: uPlot.Options = {
      width: 300,
      height: 120,
      legend: { show: false },
      cursor: { sync: { key: "time", setSeries: false }, drag: { x: true, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, ...Object.fromEntries(units.map((u) => [u, {}])) },
      axes: [
        { ...axis, size: 26, values: (_: uPlot, v: number[]) => v.map(tick) },
        ...units.map((u, k) => ({
          ...axis,
          scale: u,
          side: (k % 2 ? 1 : 3) as uPlot.Axis.Side,
          size: 56,
          space: 24,
          label: u === "1" || units.length === 1 ? undefined : u,
          labelSize: u === "1" || units.length === 1 ? 0 : 18,
          grid: { ...axis.grid, show: k === 0 },
          values: (_: uPlot, v: number[]) => v.map(tick),
        })),
      ],
      series: [
        {},
        ...panel.channels.map((c, k) => ({
          label: c.name,
          scale: c.unit || "1",
          stroke: palette[k % palette.length],
          width: 1.6,
          pxAlign: 0, // whole pixels make steps of a gentle slope
          points: { show: false },
        })),
      ],
      hooks: timeHooks(
        () => this.time,
        (t) => this.onTime(t),
      ),
    };
    panel.plot = new uPlot(options, this.valuesOf(panel), panel.host);
    this.drawLegend(panel);
  }

  private valuesOf(panel: Panel): uPlot.AlignedData {
    return [Array.from(this.data.t), ...panel.channels.map((c) => Array.from(c.values))];
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
        close.title = "remove from the plot";
        close.addEventListener("click", () => this.removeChannel(panel, c));
        const unit = document.createElement("small");
        unit.textContent = c.unit === "1" ? "" : c.unit;
        chip.append(dot, name, value, unit, close);
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
  }

  private resize(): void {
    const n = this.panels.length;
    document.getElementById("plots-empty")?.classList.toggle("hidden", n > 0);
    for (const p of this.panels) {
      const height = p.host.clientHeight - p.legend.clientHeight - 2;
      p.plot?.setSize({ width: Math.max(120, p.host.clientWidth), height: Math.max(80, height) });
    }
  }

  redraw(): void {
    for (const p of this.panels) this.draw(p);
    this.resize();
  }

  resetZoom(): void {
    for (const p of this.panels) p.plot?.setData(p.plot.data, true);
    void this.sync;
  }
}
