// Results beside the one of the page (`trammel view --with`): the mechanism of one of them, transparent, and
// the choice among them.
import { Group } from "three";
import { Data, cursorAt, readData } from "./data";
import { el, visible } from "./dom";
import { Theme } from "./look";
import { Motion } from "./motion";
import { World } from "./world";

const nameOf = (path: string) => visible(path.replace(/^.*\//, ""));

export class Beside {
  readonly element = el("span", { class: "beside" });
  /** Another result is shown, or none. */
  onChange: () => void = () => undefined;
  private chosen = 0; // from 0
  private on = true;
  private readonly results: Data[] = [];
  private readonly name = el("output", { "aria-label": "result beside" });
  private ghost: { world: World; motion: Motion; group: Group } | null = null;

  /** count: results beside that of the page; host: its world. */
  constructor(
    private readonly count: number,
    private readonly host: World | null,
    private theme: Theme,
  ) {
    const show = el("input", { type: "checkbox", checked: true, "aria-label": "show the result beside" });
    show.addEventListener("change", () => this.choose(this.chosen, show.checked));
    this.element.append(el("label", {}, show, " beside "));
    if (count > 1) this.element.append(this.slider());
    this.element.append(this.name);
    this.choose(0, true);
  }

  private slider(): HTMLElement {
    const slider = el("input", {
      type: "range",
      min: "0",
      max: String(this.count - 1),
      value: "0",
      "aria-label": "which result beside",
    });
    slider.addEventListener("input", () => this.choose(Number(slider.value), this.on));
    return slider;
  }

  /** What is shown beside; null: nothing. */
  get data(): Data | null {
    return this.on ? (this.results[this.chosen] ??= readData(this.chosen + 1)) : null;
  }

  private choose(k: number, on: boolean): void {
    this.chosen = k;
    this.on = on;
    this.ghost?.group.removeFromParent();
    this.ghost?.world.dispose();
    this.ghost = null;
    const { data } = this;
    this.name.textContent = data ? nameOf(data.info.title) : "nothing";
    if (data?.scene?.bodies && this.host && !data.info.modes) this.addGhost(data, this.host);
    this.onChange();
  }

  private addGhost(data: Data, host: World): void {
    const motion = new Motion(data, data.scene!);
    const world = new World(data, data.scene!, motion, this.theme);
    const group = world.asGhost();
    group.position.copy(motion.origin).sub(host.motion.origin);
    host.addBeside(world, group);
    this.ghost = { world, motion, group };
  }

  /** The mechanism as it is at a time; where its rows end it stays. */
  setTime(time: number): void {
    const { ghost, data } = this;
    if (!ghost || !data) return;
    ghost.motion.setTime(time);
    ghost.world.update(cursorAt(data.t, time));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.ghost?.world.setTheme(theme);
  }

  /** Where a body of the result beside is, for tests. */
  positionOf(name: string): number[] | null {
    const world = this.ghost?.world;
    const item = world?.items.find((i) => i.name === name);
    return item && world && this.ghost ? world.placeOf(item).add(this.ghost.group.position).toArray() : null;
  }
}
