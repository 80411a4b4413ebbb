// The panel on the right: values of what is selected, all channels, the run, its steps and its model.
import { Channel, Data, format, parseHistory } from "./data";
import { el, visible } from "./dom";
import { Histories } from "./history";
import { Item } from "./items";
import { World } from "./world";

const ROWS = 300; // channels that are listed at once

export interface Actions {
  plot: (c: Channel) => void;
  follow: (item: Item | null) => void;
  trail: (item: Item) => void;
  focus: (item: Item) => void;
  time: (t: number) => void;
}

export class Inspector {
  private readonly tabs = el("div", { class: "tabs", role: "tablist" });
  private readonly pages = new Map<string, HTMLElement>();
  private readonly values: { channel: Channel; cell: HTMLElement }[] = [];
  private readonly allCells: { channel: Channel; cell: HTMLElement }[] = [];
  private readonly selection: HTMLElement;
  private valueOf: (c: Channel) => number = () => NaN;
  private histories: Histories | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly data: Data,
    private readonly world: World | null,
    private readonly actions: Actions,
  ) {
    host.append(this.tabs);
    this.selection = this.addPage("Selection");
    this.drawChannels(this.addPage("Channels"));
    this.addPage("Run");
    this.refresh();
    if (data.info.notes.model)
      this.addPage("Model").append(el("pre", {}, visibleLines(data.info.notes.model)));
    this.showPage(world ? "Selection" : "Channels");
    this.select(null);
  }

  private addPage(name: string): HTMLElement {
    const page = el("div", { class: "page hidden", role: "tabpanel", tabindex: "0", "aria-label": name });
    const show = () => this.showPage(name);
    this.tabs.append(
      el("button", { role: "tab", "aria-selected": "false", "data-tab": name, click: show }, name),
    );
    this.pages.set(name, page);
    this.host.append(page);
    return page;
  }

  showPage(name: string): void {
    for (const [key, page] of this.pages) page.classList.toggle("hidden", key !== name);
    for (const b of this.tabs.querySelectorAll("button")) {
      b.classList.toggle("on", b.dataset.tab === name);
      b.setAttribute("aria-selected", String(b.dataset.tab === name));
    }
    this.update(this.valueOf);
  }

  private table(
    channels: Channel[],
    cells: { channel: Channel; cell: HTMLElement }[],
    cut: number,
  ): HTMLTableElement {
    const body = el("tbody");
    for (const channel of channels) {
      const cell = el("td", { class: "number" });
      const row = el(
        "tr",
        { draggable: "true", title: "drag into the plots", "data-channel": channel.name },
        el("td", {}, visible(channel.name.slice(cut))),
        cell,
        el("td", { class: "unit" }, channel.unit === "1" ? "" : visible(channel.unit)),
        el(
          "td",
          { class: "plot-it" },
          el(
            "button",
            { class: "add", title: "plot", "aria-label": "plot", click: () => this.actions.plot(channel) },
            "+",
          ),
        ),
      );
      row.addEventListener("dragstart", (e) => e.dataTransfer?.setData("text/plain", channel.name));
      body.append(row);
      cells.push({ channel, cell });
    }
    return el("table", { class: "channels" }, body);
  }

  // The channels "NAME.quantity" of an element.
  private channelsOf(item: Item): Channel[] {
    const own = (name: string) =>
      this.data.channels.filter(
        (c) => c.name.startsWith(`${name}.`) && !c.name.slice(name.length + 1).includes("."),
      );
    if (item.kind !== "beam") return own(item.name);
    const beam = this.world!.model.beams[item.index];
    const nodes = [beam.nodes[0], beam.nodes[beam.nodes.length >> 1], beam.nodes[beam.nodes.length - 1]];
    return nodes.flatMap((b) => own(this.world!.model.bodies[b].name));
  }

  select(item: Item | null): void {
    this.values.length = 0;
    if (!item) {
      this.selection.replaceChildren(
        el(
          "p",
          {},
          this.world
            ? "Click a part of the mechanism, or a name on the left."
            : "This result has no scene: its channels can be plotted.",
        ),
      );
      return;
    }
    const channels = this.channelsOf(item);
    const cut = item.kind === "beam" ? 0 : item.name.length + 1;
    const actions = el("div", { class: "actions" });
    if (item.kind !== "road") {
      actions.append(el("button", { click: () => this.actions.focus(item) }, "Look at"));
      actions.append(el("button", { click: () => this.actions.follow(item) }, "Follow"));
      if (item.kind === "body")
        actions.append(el("button", { click: () => this.actions.trail(item) }, "Trail"));
    }
    this.selection.replaceChildren(
      el("h2", { id: "selected" }, visible(item.name)),
      el("div", { class: "type" }, this.describe(item)),
      actions,
    );
    this.selection.append(
      channels.length
        ? this.table(channels, this.values, cut)
        : el("p", {}, "The result has no channels of it."),
    );
    this.showPage("Selection");
  }

  private describe(item: Item): string {
    const type = item.type.replace(/_/g, " ");
    if (!this.world) return type;
    const { bodies, joints } = this.world.model;
    if (item.kind === "body") return `${type}, mass ${format(bodies[item.index].mass)} kg`;
    if (item.kind === "joint") {
      const j = joints[item.index];
      const name = (k?: number) => (k === undefined ? "" : k < 0 ? "ground" : bodies[k].name);
      if (j.a && j.b) return `${type} joint, ${visible(name(j.a.body))} – ${visible(name(j.b.body))}`;
      return `${type} ${visible([j.first, j.second, j.of].filter(Boolean).join(", "))}`;
    }
    return item.kind === "force" ? `force: ${type}` : type;
  }

  private drawChannels(page: HTMLElement): void {
    const search = el("input", {
      class: "search",
      type: "search",
      placeholder: "Search channels",
      "aria-label": "Search channels",
    });
    search.style.margin = "0 0 6px";
    search.style.width = "100%";
    const list = el("div");
    const draw = () => {
      const word = search.value.trim().toLowerCase();
      const found = this.data.channels.filter((c) => c.name.toLowerCase().includes(word));
      this.allCells.length = 0;
      list.replaceChildren(this.table(found.slice(0, ROWS), this.allCells, 0));
      if (found.length > ROWS) list.append(el("p", {}, `${found.length - ROWS} more: search for them`));
      this.update(this.valueOf);
    };
    search.addEventListener("input", draw);
    page.append(search, list);
    draw();
  }

  /** What is said about the run, after new rows. */
  refresh(): void {
    const page = this.pages.get("Run")!;
    page.replaceChildren();
    this.drawRun(page);
    this.drawSteps();
  }

  // A run that has reached its end has a history of its steps.
  private drawSteps(): void {
    const history = parseHistory(this.data.info);
    if (!history) return;
    const steps = this.pages.get("Steps") ?? this.addPage("Steps");
    this.histories = new Histories(history, this.actions.time);
    steps.replaceChildren(this.histories.element);
  }

  setTime(t: number): void {
    this.histories?.setTime(t);
  }

  /** The look of the page has changed. */
  redraw(): void {
    this.histories?.draw();
  }

  private drawRun(page: HTMLElement): void {
    const { info, scene } = this.data;
    const add = (title: string, ...content: (Node | string)[]) =>
      page.append(el("h3", {}, title), ...content);
    if (info.notes.report)
      add("Closing report", ...reportTable(info.notes.report));
    else if (!info.modes)
      page.append(
        el(
          "div",
          { class: "note" },
          "This result has no closing report: the run did not reach its end, or it was made by another " +
            "program.",
        ),
      );
    const rows = info.kept === info.rows ? `${info.rows} rows` : `${info.kept} of ${info.rows} rows`;
    const error = (x: number) => (x > 0 ? x.toExponential(1) : "0");
    add(
      "This page",
      el(
        "p",
        {},
        `${info.channels.length} channels, ${rows}. Values are rounded by at most ` +
          `${error(info.value_error)} of the largest value of their channel` +
          (info.kept < info.rows
            ? `, and rows between those of the page differ by at most ${error(info.between_error)} of it ` +
              `(${visible(info.between_channel ?? "")}).`
            : "."),
      ),
    );
    if (scene?.parameters.length) {
      const body = el("tbody");
      for (const [name, value] of scene.parameters)
        body.append(el("tr", {}, el("td", {}, visible(name)), el("td", { class: "number" }, format(value))));
      add("Parameters", el("table", {}, body));
    }
    if (info.notes.settings) add("Settings", settingsTable(info.notes.settings));
    add(
      "Made by",
      el(
        "p",
        {},
        `Trammel ${visible(info.notes.version ?? info.trammel)}` +
          (info.notes.file ? ` from ${visible(info.notes.file)}` : ""),
      ),
    );
  }

  update(valueOf: (c: Channel) => number): void {
    this.valueOf = valueOf;
    const shown = (name: string) => !this.pages.get(name)?.classList.contains("hidden");
    if (shown("Selection")) for (const v of this.values) v.cell.textContent = format(valueOf(v.channel));
    if (shown("Channels")) for (const v of this.allCells) v.cell.textContent = format(valueOf(v.channel));
  }
}

function visibleLines(text: string): string {
  return text.split(/\r?\n/).map(visible).join("\n");
}

// Lines "  label     text" with more of the text below it become rows; others, such as the title, paragraphs.
function reportTable(report: string): HTMLElement[] {
  const body = el("tbody");
  const page: HTMLElement[] = [];
  let last: HTMLElement | null = null;
  for (const line of report.split(/\r?\n/)) {
    const [, label, text] = /^ {2}(\S.*?) {2,}(.*)$/.exec(line) ?? [];
    if (label) {
      last = el("td", {}, visible(text));
      body.append(el("tr", {}, el("th", {}, visible(label)), last));
    } else if (last && /^ {8,}\S/.test(line)) last.append(`\n${visible(line.trim())}`);
    else if (line.trim()) page.push(el("p", {}, visible(line.trim())));
  }
  return [...page, el("table", { class: "pairs", id: "report" }, body)];
}

function settingsTable(json: string): HTMLElement {
  try {
    const body = el("tbody");
    for (const [key, value] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      body.append(el("tr", {}, el("th", {}, visible(key)), el("td", {}, visible(text))));
    }
    return el("table", { class: "pairs" }, body);
  } catch {
    return el("p", {}, visible(json));
  }
}
