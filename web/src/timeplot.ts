// What plots over time share: the look of their axes, the time of the scene as a line across them, and a
// click that sets it.
import uPlot from "uplot";

const FONT = "11px system-ui, sans-serif";

function property(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Axes in the colours of the page, as it looks now. */
export function axisStyle() {
  const line = property("--line");
  return {
    stroke: property("--ink-soft"),
    font: FONT,
    labelFont: FONT,
    ticks: { stroke: line, size: 4 },
    grid: { stroke: line, width: 1 },
  };
}

function drawCursor(u: uPlot, time: number): void {
  const x = u.valToPos(time, "x", true);
  if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
  const { ctx } = u;
  ctx.save();
  ctx.strokeStyle = property("--accent");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x, u.bbox.top);
  ctx.lineTo(x, u.bbox.top + u.bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** Hooks of a plot: `time` is drawn as a line, a click goes to `onTime`. */
export function timeHooks(time: () => number, onTime: (t: number) => void): uPlot.Hooks.Arrays {
  return {
    draw: [(u) => drawCursor(u, time())],
    ready: [
      (u) =>
        u.over.addEventListener("click", () => {
          const x = u.cursor.left;
          if (x !== undefined && x >= 0) onTime(u.posToVal(x, "x"));
        }),
    ],
  };
}
