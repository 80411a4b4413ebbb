// Step sizes and Newton iterations of a run, over time.
import uPlot from "uplot";
import { format, History } from "./data";
import { el } from "./dom";
import { palette } from "./look";
import { axisStyle, timeHooks } from "./timeplot";

const HEIGHT = 130;

// Lines of a logarithmic axis, five at most.
function powersOfTen(_: uPlot, __: number, low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const stride = Math.max(1, Math.ceil((last - first) / 4));
  const lines = [];
  for (let k = first; k <= last; k += stride) lines.push(10 ** k);
  return lines;
}

export class Histories {
  readonly element = el("div", { id: "histories" });
  private plots: uPlot[] = [];
  private time = NaN;

  constructor(
    private readonly history: History,
    private readonly onTime: (t: number) => void,
  ) {
    const several = history.steps > 1 ? `, least and largest of ${history.steps} steps` : "";
    this.element.append(el("p", {}, `Step size [s]${several}`), el("div", { id: "history-size" }));
    if (history.iterations.some((n) => n > 0))
      this.element.append(
        el("p", {}, `Newton iterations of a step${history.steps > 1 ? ", the most" : ""}`),
        el("div", { id: "history-iterations" }),
      );
    this.element.append(el("p", { id: "history-now" }));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Draw anew: the element has another width, or the page another look. */
  draw(): void {
    for (const p of this.plots) p.destroy();
    this.plots = [];
    const width = this.element.clientWidth;
    if (width < 60) return; // on a page that is not shown
    const { least, most, iterations, steps } = this.history;
    const sizes = steps > 1 ? [most, least] : [most];
    this.plots.push(this.plot("history-size", width, sizes, true));
    if (this.element.querySelector("#history-iterations"))
      this.plots.push(this.plot("history-iterations", width, [iterations], false));
  }

  private plot(id: string, width: number, values: number[][], log: boolean): uPlot {
    const axis = axisStyle();
    const tick = (_: uPlot, v: (number | null)[]) => v.map((x) => (x === null ? "" : format(x)));
    const stepped = uPlot.paths.stepped!({ align: -1 }); // a value belongs to the time before its end
    const options: uPlot.Options = {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { show: false } },
      scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (_, __, high) => [0, high + 0.5] } },
      axes: [
        { ...axis, size: 26, values: tick },
        { ...axis, size: 56, space: 24, values: tick, ...(log ? { splits: powersOfTen } : {}) },
      ],
      series: [
        {},
        ...values.map((_, k) => ({
          stroke: palette[k % palette.length],
          width: 1.4,
          paths: stepped,
          points: { show: false },
        })),
      ],
      hooks: timeHooks(() => this.time, this.onTime),
    };
    const { start, t } = this.history;
    const data = [[start, ...t], ...values.map((v) => [v[0], ...v])] as uPlot.AlignedData;
    return new uPlot(options, data, this.element.querySelector<HTMLElement>(`#${id}`)!);
  }

  /** The time of the scene. */
  setTime(time: number): void {
    if (time === this.time) return;
    this.time = time;
    const { t, least, most, iterations, steps, start } = this.history;
    const found = t.findIndex((x) => x >= time);
    const k = found < 0 ? t.length - 1 : found;
    const size = least[k] < most[k] ? `${format(least[k])} to ${format(most[k])}` : format(most[k]);
    const solves = iterations[k] > 0 ? `, ${steps > 1 ? "up to " : ""}${iterations[k]} iterations` : "";
    const text = time < start ? "" : `At ${format(time)} s: steps of ${size} s${solves}`;
    this.element.querySelector("#history-now")!.textContent = text;
    for (const p of this.plots) p.redraw(false, false);
  }
}
