// The tools over the scene: views, and what is shown; with the scales of strains and arrows.
import { Preset } from "./camera";
import { Data, format } from "./data";
import { el, visible } from "./dom";
import { World } from "./world";

export interface ToolbarActions {
  fit: () => void;
  look: (preset: Preset) => void;
  orthographic: (on: boolean) => void;
  follow: (on: boolean) => void;
  trails: (on: boolean) => void;
  changed: () => void; // draw again
}

type Shown = keyof World["show"];

/** Three digits. */
const rounded = (x: number) => format(Number(x.toPrecision(3)));

export class Toolbar {
  readonly element: HTMLElement;
  readonly scales: HTMLElement;
  private readonly toggles = new Map<string, HTMLButtonElement>();
  private readonly views = el("div", { class: "tools" });
  private readonly shows = el("div", { class: "tools show" });
  private readonly strainScale = el("div", { class: "scale hidden" });
  private readonly arrowScale = el("div", { class: "scale hidden" });

  constructor(
    private readonly world: World,
    data: Data,
    private readonly actions: ToolbarActions,
    orthographic: boolean,
  ) {
    this.addViews(orthographic);
    this.addArrows();
    if (!data.info.modes)
      this.addToggle(this.shows, "trails", "Trails", "paths of the bodies (t)", actions.trails);
    if (world.beams.length && world.largestStrain > 0)
      this.addFlag("strain", "Strain", "strain of the beams in colours (s)");
    this.addFlag("frames", "Axes", "axes of bodies and frames (a)");
    this.strainScale.append("strain 0", el("i"), rounded(world.largestStrain));
    this.element = el("div", { class: "toolbar" }, this.views, this.shows);
    this.scales = el("div", { class: "scales" }, this.strainScale, this.arrowScale);
  }

  private addViews(orthographic: boolean): void {
    const { views, actions } = this;
    const view = (text: string, title: string, preset: Preset) =>
      views.append(el("button", { title, click: () => actions.look(preset) }, text));
    views.append(el("button", { title: "fit (f)", click: actions.fit }, "Fit"));
    view("3D", "from the corner (1)", "iso");
    view("Front", "front (2)", "front");
    view("Side", "from the right (3)", "right");
    view("Top", "top (4)", "top");
    this.addToggle(views, "ortho", "Ortho", "orthographic (o)", actions.orthographic, orthographic);
    const along = "go along with the selected or the heaviest body (c)";
    this.addToggle(views, "follow", "Follow", along, actions.follow);
  }

  private addArrows(): void {
    const { arrows } = this.world;
    if (arrows.has("forces"))
      this.addFlag("forces", "Reactions", "reaction forces of the joints on their second bodies (r)");
    if (arrows.has("moments")) this.addFlag("moments", "Moments", "reaction moments of the joints (m)");
    if (arrows.has("contacts"))
      this.addFlag("contacts", "Contacts", "points of contact, with normal forces and friction (p)");
    if (!arrows.has("forces") && !arrows.has("contacts")) return;
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
      this.fillArrowScale();
      this.actions.changed();
    });
    this.shows.append(el("label", {}, size));
  }

  private addFlag(key: Shown, text: string, title: string): void {
    const { world } = this;
    this.addToggle(this.shows, key, text, title, (on) => {
      world.show[key] = on;
      this.strainScale.classList.toggle("hidden", !world.show.strain);
      this.fillArrowScale();
    });
  }

  private addToggle(
    host: HTMLElement,
    key: string,
    text: string,
    title: string,
    set: (on: boolean) => void,
    on = false,
  ): void {
    const button = el("button", { title, "data-toggle": key }, text);
    button.classList.toggle("on", on);
    button.addEventListener("click", () => {
      set(button.classList.toggle("on"));
      this.actions.changed();
    });
    this.toggles.set(key, button);
    host.append(button);
  }

  // Colours of the arrows, and the load of one of a known length.
  private fillArrowScale(): void {
    const { show, arrows } = this.world;
    const key = (kind: string, text: string) => el("span", { class: `key ${kind}` }, text);
    const loads = [
      show.forces || show.contacts ? `${rounded(arrows.ofLength("force"))} N` : "",
      show.moments ? `${rounded(arrows.ofLength("moment"))} N m` : "",
    ].filter(Boolean);
    this.arrowScale.classList.toggle("hidden", loads.length === 0);
    this.arrowScale.replaceChildren(
      ...(show.forces ? [key("force", "reaction")] : []),
      ...(show.moments ? [key("moment", "moment")] : []),
      ...(show.contacts ? [key("contact", "normal")] : []),
      ...(show.contacts && arrows.haveFriction ? [key("friction", "friction")] : []),
      el("span", {}, `arrow of ${format(Number(arrows.reach.toPrecision(2)))} m: ${loads.join(", ")}`),
    );
  }

  /** As if one had clicked it; nothing if there is no such tool. */
  toggle(key: string): void {
    this.toggles.get(key)?.click();
  }

  isOn(key: string): boolean {
    return this.toggles.get(key)?.classList.contains("on") ?? false;
  }

  /** What a camera goes along with; null: nothing. */
  showFollow(name: string | null): void {
    const button = this.toggles.get("follow")!;
    button.classList.toggle("on", name !== null);
    button.textContent = name !== null ? `Follow ${visible(name)}` : "Follow";
  }
}
