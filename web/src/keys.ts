// Keys, and the list of them that the page shows.
import { Preset } from "./camera";
import { el } from "./dom";

/** What keys can do. */
export interface Commands {
  playOrPause: () => void;
  step: (rows: number) => void;
  toStart: () => void;
  toEnd: () => void;
  changeSpeed: (by: number) => void;
  loop: () => void;
  fit: () => void;
  look: (preset: Preset) => void;
  toggle: (tool: string) => void;
  deselect: () => void;
  search: () => void;
  lightOrDark: () => void;
}

type Act = (c: Commands, many: number) => void;

// Keys as they are shown, what they do, and what that is by the name of the key.
const KEYS: [string, string, Record<string, Act>][] = [
  ["space", "play, pause", { " ": (c) => c.playOrPause() }],
  [
    "← →",
    "one row back, forward; with shift ten",
    { ArrowLeft: (c, many) => c.step(-many), ArrowRight: (c, many) => c.step(many) },
  ],
  ["Home End", "start, end", { Home: (c) => c.toStart(), End: (c) => c.toEnd() }],
  ["+ −", "faster, slower", { "+": (c) => c.changeSpeed(1), "-": (c) => c.changeSpeed(-1) }],
  ["l", "loop", { l: (c) => c.loop() }],
  ["f", "fit the mechanism into the picture", { f: (c) => c.fit() }],
  [
    "1 2 3 4",
    "views: corner, front, side, top",
    {
      "1": (c) => c.look("iso"),
      "2": (c) => c.look("front"),
      "3": (c) => c.look("right"),
      "4": (c) => c.look("top"),
    },
  ],
  [
    "o c",
    "orthographic, follow a body",
    { o: (c) => c.toggle("ortho"), c: (c) => c.toggle("follow") },
  ],
  [
    "r m",
    "reaction forces, moments",
    { r: (c) => c.toggle("forces"), m: (c) => c.toggle("moments") },
  ],
  ["p", "points of contact and their forces", { p: (c) => c.toggle("contacts") }],
  [
    "t s a",
    "trails, strain, axes",
    { t: (c) => c.toggle("trails"), s: (c) => c.toggle("strain"), a: (c) => c.toggle("frames") },
  ],
  ["Esc", "select nothing, follow nothing", { Escape: (c) => c.deselect() }],
  ["/", "search", { "/": (c) => c.search() }],
  ["d", "light, dark", { d: (c) => c.lightOrDark() }],
];

export class Keys {
  readonly help = el("dialog");
  private readonly acts = new Map(KEYS.flatMap(([, , acts]) => Object.entries(acts)));

  constructor(private readonly commands: Commands) {
    const body = el("tbody");
    for (const [keys, text] of KEYS)
      body.append(
        el(
          "tr",
          {},
          el("td", {}, ...keys.split(" ").flatMap((k) => [el("kbd", {}, k), " "])),
          el("td", {}, text),
        ),
      );
    this.help.append(
      el("h2", {}, "Keys"),
      el("table", {}, body),
      el(
        "p",
        {},
        "Left button: turn. Right button: move. Wheel: near or far. A click selects; drag in a plot to " +
          "zoom, double click to zoom out, click to set the time.",
      ),
      el("button", { click: () => this.help.close() }, "Close"),
    );
    document.addEventListener("keydown", (e) => this.onKey(e));
  }

  showHelp(): void {
    this.help.showModal();
  }

  private onKey(e: KeyboardEvent): void {
    const typing = e.target instanceof HTMLInputElement && e.target.type === "search";
    if (e.ctrlKey || e.metaKey || e.altKey || this.help.open) return;
    if (typing) {
      if (e.key === "Escape") (e.target as HTMLElement).blur();
      return;
    }
    const act: Act | undefined = e.key === "?" ? () => this.showHelp() : this.acts.get(e.key);
    if (!act) return;
    e.preventDefault();
    act(this.commands, e.shiftKey ? 10 : 1);
  }
}
