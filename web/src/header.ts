// The line at the top: title, what the result holds, and how the run goes or ended.
import { Data, format } from "./data";
import { el, visible } from "./dom";
import { LiveState } from "./live";
import { World } from "./world";

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export class Header {
  readonly element: HTMLElement;
  private readonly sub = el("span", { class: "sub" });

  constructor(
    private readonly data: Data,
    private readonly world: World | null,
    actions: { link: () => void; picture: () => void; lightOrDark: () => void; help: () => void },
  ) {
    this.element = el(
      "header",
      {},
      el("span", { class: "logo" }, "Trammel"),
      el("h1", { id: "title" }, visible(data.info.title || "result")),
      this.sub,
      el("span", { class: "spring" }),
      el("button", { title: "copy a link to this view and time", click: actions.link }, "🔗"),
      el("button", { title: "copy a picture", click: actions.picture }, "⧉"),
      el("button", { title: "light or dark (d)", click: actions.lightOrDark }, "◐"),
      el("button", { title: "keys (?)", click: actions.help }, "?"),
    );
    this.fill(null);
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
