// The line at the top: title, what the result holds, and how the run goes or ended.
import { Data, format } from "./data";
import { el, visible } from "./dom";
import { icon } from "./icons";
import { LiveState } from "./live";
import { World } from "./world";

/** What the buttons do. */
export interface HeaderActions {
  film: (() => void) | null; // null: the browser has no recorder
  link: () => void;
  picture: () => void;
  lightOrDark: () => void;
  help: () => void;
}

const NOTE_SECONDS = 5;

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export class Header {
  readonly element: HTMLElement;
  private readonly sub = el("span", { class: "sub" });
  private readonly note = el("div", { class: "toast", role: "status" });
  private readonly filmButton: HTMLButtonElement | null;
  private timer = 0;

  constructor(
    private readonly data: Data,
    private readonly world: World | null,
    actions: HeaderActions,
  ) {
    const button = (title: string, sign: Parameters<typeof icon>[0], click: () => void) =>
      el("button", { title, "aria-label": title, click }, icon(sign));
    this.filmButton = actions.film && button("make a film", "film", actions.film);
    this.element = el(
      "header",
      {},
      el("span", { class: "logo" }, "Trammel"),
      el("h1", { id: "title" }, visible(data.info.title || "result")),
      this.sub,
      el("span", { class: "spring" }),
      ...(this.filmButton ? [this.filmButton] : []),
      button("copy a link to this view and time", "link", actions.link),
      button("copy a picture", "picture", actions.picture),
      button("light or dark (d)", "dark", actions.lightOrDark),
      button("keys (?)", "help", actions.help),
      this.note,
    );
    this.fill(null);
  }

  /** A sentence about what has been done, for a while. */
  tell(text: string): void {
    this.note.textContent = text;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.note.textContent = ""), 1000 * NOTE_SECONDS);
  }

  showFilming(on: boolean): void {
    this.filmButton?.classList.toggle("filming", on);
    this.filmButton?.setAttribute("aria-label", on ? "end the film" : "make a film");
  }

  fill(live: LiveState | null): void {
    const { info, scene, t } = this.data;
    const still = this.world?.motion.still.length ?? 0;
    const parts = [
      info.modes ? `${info.rows} modes` : `${format(t[0])} .. ${format(t[t.length - 1])} s`,
      scene
        ? `${count(scene.bodies.length, "body", "bodies")}, ${count(scene.joints.length, "joint", "joints")}`
        : "no scene",
      still ? `${still} bodies at rest: their motion is not in the result` : "",
      this.world?.thinned ? "simplified drawing: many bodies" : "",
      this.stateText(live),
    ];
    this.sub.textContent = parts.filter(Boolean).join(" · ");
  }

  private stateText(live: LiveState | null): string {
    const { info } = this.data;
    if (live === "gone") return "the server has gone: this is what it showed last";
    if (live === "running") return "the run goes on";
    // tables of other programs say nothing about a run
    return info.notes.version && !info.notes.report && !info.modes ? "the run did not reach its end" : "";
  }
}
