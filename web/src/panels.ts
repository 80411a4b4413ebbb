// The panels around the scene: borders that are dragged or moved by arrows, and on narrow screens drawers.
import { el } from "./dom";
import { remember, remembered } from "./remember";

const KEY_STEP = 16; // [px] by an arrow
const SHORT = 500; // [px] of a window in which the scene needs the place of the plots

type Side = "left" | "right" | "plots";

interface Border {
  label: string;
  least: number; // [px]
  most: number; // share of the window
  grows: string; // the key that enlarges the panel
  shrinks: string;
}

const borders: Record<Side, Border> = {
  left: { label: "width of the names", least: 120, most: 0.4, grows: "ArrowRight", shrinks: "ArrowLeft" },
  right: { label: "width of the values", least: 220, most: 0.5, grows: "ArrowLeft", shrinks: "ArrowRight" },
  plots: { label: "height of the plots", least: 60, most: 0.7, grows: "ArrowUp", shrinks: "ArrowDown" },
};

/** The elements of the page around its header and the bar of the time. */
export function layOut(header: HTMLElement, transport: HTMLElement) {
  const empty = el("div", { id: "plots-empty" }, "Drag a value here to plot it, or press + beside it.");
  const parts = {
    app: document.getElementById("app")!,
    main: el("main"),
    left: el("aside", { class: "left", "aria-label": "Names" }),
    right: el("aside", { class: "right", "aria-label": "Values" }),
    canvas: el("div", { id: "canvas" }),
    plots: el("div", { id: "plots" }, empty),
  };
  parts.main.append(parts.canvas, transport, parts.plots);
  parts.app.append(header, parts.left, parts.main, parts.right);
  return parts;
}

export class Panels {
  readonly drawers = el("nav", { class: "drawers", "aria-label": "Panels" });
  readonly scrim = el("div", { class: "scrim", click: () => this.closeDrawers() });
  private readonly buttons = new Map<Side, HTMLButtonElement>();

  /** app: has the sizes as properties of its style; sides: the panels, hosts of their borders. */
  constructor(
    private readonly app: HTMLElement,
    private readonly sides: Record<Side, { panel: HTMLElement; border: HTMLElement }>,
  ) {
    for (const side of ["left", "right", "plots"] as Side[]) this.addBorder(side);
    this.addDrawer("left", "Names");
    this.addDrawer("plots", "Plots");
    this.addDrawer("right", "Values");
    this.setDrawer("plots", innerHeight >= SHORT);
    app.addEventListener("keydown", (e) => {
      if (e.key === "Escape" && this.closeDrawers()) e.stopPropagation();
    });
  }

  // ---- borders --------------------------------------------------------------------------------------------

  private sizeOf(side: Side): number {
    const { width, height } = this.sides[side].panel.getBoundingClientRect();
    return side === "plots" ? height : width;
  }

  private setSize(side: Side, size: number): number {
    const { least, most } = borders[side];
    const limit = most * (side === "plots" ? innerHeight : innerWidth);
    const kept = Math.round(Math.max(least, Math.min(limit, size)));
    this.app.style.setProperty(`--${side}`, `${kept}px`);
    return kept;
  }

  private addBorder(side: Side): void {
    const { label, least, grows, shrinks } = borders[side];
    const border = el("div", {
      class: `border ${side}`,
      role: "separator",
      tabindex: "0",
      title: `${label}: drag, or use the arrows; a double click restores it`,
      "aria-label": label,
      "aria-orientation": side === "plots" ? "horizontal" : "vertical",
      "aria-valuemin": String(least),
    });
    const show = () => border.setAttribute("aria-valuenow", String(Math.round(this.sizeOf(side))));
    const set = (size: number) => {
      remember(side, String(this.setSize(side, size)));
      show();
    };
    const kept = Number(remembered(side));
    if (kept > 0) this.setSize(side, kept);
    border.addEventListener("pointerdown", (e) => this.drag(e, side, border, set));
    border.addEventListener("dblclick", () => {
      this.app.style.removeProperty(`--${side}`);
      remember(side, "");
      show();
    });
    border.addEventListener("keydown", (e) => {
      if (e.key !== grows && e.key !== shrinks) return;
      set(this.sizeOf(side) + (e.key === grows ? KEY_STEP : -KEY_STEP));
      e.preventDefault();
      e.stopPropagation(); // these keys mean other things elsewhere
    });
    this.sides[side].border.append(border);
    new ResizeObserver(show).observe(this.sides[side].panel);
  }

  private drag(start: PointerEvent, side: Side, border: HTMLElement, set: (size: number) => void): void {
    const size = this.sizeOf(side);
    const move = (e: PointerEvent) => {
      const right = e.clientX - start.clientX;
      set(size + (side === "left" ? right : side === "right" ? -right : start.clientY - e.clientY));
    };
    start.preventDefault();
    border.focus();
    border.setPointerCapture(start.pointerId);
    border.addEventListener("pointermove", move);
    border.addEventListener("lostpointercapture", () => border.removeEventListener("pointermove", move), {
      once: true,
    });
  }

  // ---- drawers --------------------------------------------------------------------------------------------

  private addDrawer(side: Side, text: string): void {
    const { panel } = this.sides[side];
    panel.id ||= `panel-${side}`;
    const button = el(
      "button",
      { "aria-expanded": "false", "aria-controls": panel.id, click: () => this.toggleDrawer(side) },
      text,
    );
    this.buttons.set(side, button);
    this.drawers.append(button);
  }

  private toggleDrawer(side: Side): void {
    const open = !this.isOpen(side);
    if (side !== "plots") this.closeDrawers();
    this.setDrawer(side, open);
  }

  private setDrawer(side: Side, open: boolean): void {
    this.app.classList.toggle(`open-${side}`, open);
    this.buttons.get(side)!.setAttribute("aria-expanded", String(open));
    this.buttons.get(side)!.classList.toggle("on", open);
  }

  private isOpen(side: Side): boolean {
    return this.app.classList.contains(`open-${side}`);
  }

  /** Those that cover the scene; false: none did. */
  closeDrawers(): boolean {
    const open = (["left", "right"] as Side[]).filter((side) => this.isOpen(side));
    for (const side of open) this.setDrawer(side, false);
    return open.length > 0;
  }
}
