// What the page remembers, and the link to what it shows.

const DARK = "dark"; // pages of reports read it too (cli/common/html.c)

/** What was kept on a page before; null: nothing, or the browser forgets. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(`trammel-${key}`);
  } catch {
    return null; // pages of a browser that keeps nothing
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`trammel-${key}`, value);
  } catch {
    // it is as it was
  }
}

/** Light or dark as the user has chosen on a page before; null: never. */
export function rememberedDark(): boolean | null {
  const kept = remembered(DARK);
  return kept === null ? null : kept === "1";
}

export function rememberDark(on: boolean): void {
  remember(DARK, on ? "1" : "0");
}

/** What a link to the page holds: time [s], where it is seen from, what is selected. */
export interface Shown {
  time: number;
  selected: string | null;
  from: number[]; // position of the camera [m]
  at: number[]; // what it looks at [m]
  zoom: number;
  flat: boolean; // without perspective
}

export function linkText(s: Shown): string {
  const list = (x: number[]) => x.map((v) => Number(v.toPrecision(7))).join(",");
  const parts = new URLSearchParams({
    t: String(Number(s.time.toPrecision(9))),
    from: list(s.from),
    at: list(s.at),
    zoom: String(Number(s.zoom.toPrecision(7))),
    flat: s.flat ? "1" : "0",
  });
  if (s.selected !== null) parts.set("select", s.selected);
  return parts.toString();
}

/** The parts of a link that can be read; numbers that are none are left out. */
export function readLink(hash: string): Partial<Shown> {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string) => {
    const text = parts.get(name);
    return text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
  };
  const list = (name: string) => {
    const x = (parts.get(name) ?? "").split(",").map(Number);
    return x.length === 3 && x.every(Number.isFinite) ? x : undefined;
  };
  const flat = parts.get("flat");
  return {
    time: number("t"),
    selected: parts.get("select") ?? undefined,
    from: list("from"),
    at: list("at"),
    zoom: number("zoom"),
    flat: flat === null ? undefined : flat === "1",
  };
}
