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
    this.search.addEventListener("keydown", (e) => this.onSearchKey(e));
    this.list.addEventListener("keydown", (e) => this.onListKey(e));
    host.append(this.search, this.list);
    this.draw();
  }

  // From the search: down to the names, Enter takes the first one, Escape ends the search.
  private onSearchKey(e: KeyboardEvent): void {
    const [first] = this.rows.keys();
    if (e.key === "Escape" && this.search.value) {
      this.search.value = "";
      this.draw();
    } else if (e.key === "ArrowDown" && first) this.focus(first);
    else if (e.key === "Enter" && first) this.onSelect(first);
    else return;
    e.preventDefault();
  }

  // Among the names: arrows, Home and End go, Enter or a blank selects, up from the first one to the search.
  private onListKey(e: KeyboardEvent): void {
    const items = [...this.rows.keys()];
    const at = items.findIndex((i) => this.rows.get(i) === document.activeElement);
    if (at < 0) return;
    if (e.key === "ArrowDown") this.focus(items[Math.min(at + 1, items.length - 1)]);
    else if (e.key === "ArrowUp" && at === 0) this.search.focus();
    else if (e.key === "ArrowUp") this.focus(items[at - 1]);
    else if (e.key === "Home") this.focus(items[0]);
    else if (e.key === "End") this.focus(items[items.length - 1]);
    else if (e.key === "Enter" || e.key === " ") this.onSelect(items[at]);
    else return;
    e.preventDefault();
    e.stopPropagation(); // these keys mean other things elsewhere
  }

  // One of the names is reached by Tab: the one that was last.
  private focus(item: Item): void {
    this.makeReachable(item);
    this.rows.get(item)?.focus();
  }

  private makeReachable(item: Item | undefined): void {
    for (const row of this.rows.values()) row.tabIndex = -1;
    const row = item && this.rows.get(item);
    if (row) row.tabIndex = 0;
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
      const group = el("div", { role: "group", "aria-label": heading });
      group.append(el("h2", { "aria-hidden": "true" }, `${heading} (${all.length})`));
      this.list.append(group);
      for (const item of all.slice(0, Math.max(0, left))) {
        const type = item.type === kind ? "" : item.type.replace(/_/g, " ");
        const row = el(
          "div",
          { class: "row", role: "option", "aria-selected": "false", click: () => this.onSelect(item) },
          el("span", {}, visible(item.name)),
          el("small", {}, type),
        );
        this.rows.set(item, row);
        group.append(row);
      }
      if (all.length > left)
        group.append(
          el(
            "div",
            { class: "row", role: "option", "aria-disabled": "true" },
            `${all.length - Math.max(0, left)} more: search for them`,
          ),
        );
      left -= all.length;
    }
    this.mark(this.selected);
  }

  mark(item: Item | null): void {
    const before = this.rows.get(this.selected as Item);
    before?.classList.remove("on");
    before?.setAttribute("aria-selected", "false");
    this.selected = item;
    const row = item ? this.rows.get(item) : undefined;
    this.makeReachable(row && item ? item : [...this.rows.keys()][0]);
    row?.classList.add("on");
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
  }
}
