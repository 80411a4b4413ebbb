// The names of the model on the left, with a search.
import { el, visible } from "./dom";
import { Item, Kind } from "./items";

const headings: [Kind, string][] = [
  ["body", "Bodies"],
  ["beam", "Beams"],
  ["joint", "Joints"],
  ["force", "Forces"],
  ["road", "Roads"],
];
const MOST = 400; // rows that are listed; a search finds the others

export class Tree {
  readonly search: HTMLInputElement;
  onSelect: (item: Item) => void = () => undefined;
  private readonly list = el("div", {
    class: "tree",
    role: "listbox",
    "aria-label": "Elements of the model",
  });
  private readonly rows = new Map<Item, HTMLElement>();
  private selected: Item | null = null;

  constructor(
    host: HTMLElement,
    private readonly items: Item[],
  ) {
    this.search = el("input", {
      class: "search",
      type: "search",
      placeholder: "Search names ( / )",
      "aria-label": "Search names",
    });
    this.search.addEventListener("input", () => this.draw());
    host.append(this.search, this.list);
    this.draw();
  }

  private draw(): void {
    const word = this.search.value.trim().toLowerCase();
    this.list.replaceChildren();
    this.rows.clear();
    let left = MOST;
    for (const [kind, heading] of headings) {
      const all = this.items.filter(
        (i) => i.kind === kind && `${i.name} ${i.type}`.toLowerCase().includes(word),
      );
      if (all.length === 0) continue;
      this.list.append(el("h2", {}, `${heading} (${all.length})`));
      for (const item of all.slice(0, Math.max(0, left))) {
        const type = item.type === kind ? "" : item.type.replace(/_/g, " ");
        const row = el(
          "div",
          { class: "row", role: "option", tabindex: "0", click: () => this.onSelect(item) },
          el("span", {}, visible(item.name)),
          el("small", {}, type),
        );
        row.addEventListener("keydown", (e) => e.key === "Enter" && this.onSelect(item));
        this.rows.set(item, row);
        this.list.append(row);
      }
      if (all.length > left)
        this.list.append(
          el("div", { class: "row" }, `${all.length - Math.max(0, left)} more: search for them`),
        );
      left -= all.length;
    }
    this.mark(this.selected);
  }

  mark(item: Item | null): void {
    this.rows.get(this.selected as Item)?.classList.remove("on");
    this.selected = item;
    const row = item ? this.rows.get(item) : undefined;
    row?.classList.add("on");
    row?.scrollIntoView({ block: "nearest" });
  }
}
