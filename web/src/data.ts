// What the page holds: information, scene and values, from the elements that `trammel view` has written.

export interface Place {
  body: number; // -1: ground
  p: number[]; // [m] in body axes
  q: number[]; // scalar first: axes of the place to body axes
}
export interface Body {
  name: string;
  mass: number;
  inertia: number[];
  q: number[]; // start: position and quaternion
  point?: boolean;
}
export interface Joint {
  name: string;
  type: string;
  a?: Place;
  b?: Place;
  first?: string;
  second?: string;
  of?: string;
  ratio?: number;
  radius?: number;
  spring?: boolean;
}
export interface Force {
  name: string;
  type: string;
  a?: Place;
  b?: Place;
  spring?: boolean;
  damper?: boolean;
  road?: string;
  of?: string;
  radius?: number;
  axis?: [number, number, number]; // of a slip tyre, in the axes of its place
  frames?: Place[];
  first?: string;
  second?: string;
}
/** Wheels on roads, with and without slip. */
export const isTyre = (e: { type: string }) => e.type === "tyre" || e.type === "slip_tyre";
export interface Beam {
  name: string;
  section: string;
  width?: number;
  height?: number;
  radius?: number;
  inner?: number;
  web?: number;
  flange?: number;
  elements: number;
  order: number;
  nodes: number[];
}
export interface Road {
  name: string;
  origin: number[];
  direction: number[];
  up: number[];
  profile: number[]; // s, z, s, z, ...
}
export interface Shape {
  name: string;
  type: string;
  at: Place;
  radius?: number;
  length?: number;
  tube?: number;
  size?: number[];
  colour?: string;
  opacity?: number;
  vertices?: number[];
  triangles?: number[];
  outline?: number[]; // of a profile: x, y of its points
  terrain?: boolean; // the surface of a height field
}
export interface SceneData {
  scene: number;
  title: string;
  planar: boolean;
  gravity: number[];
  length: number;
  origin?: number[]; // of a model far away: places of the scene count from there [m]
  bodies: Body[];
  frames: { name: string; at: Place }[];
  joints: Joint[];
  forces: Force[];
  beams: Beam[];
  modal_bodies: { name: string; nodes: number[] }[];
  roads: Road[];
  parameters: [string, number][];
  shapes: Shape[];
}
export interface Mark {
  t: number;
  kind: string;
  text: string;
}

/** Sizes of the steps of a run [s] and iterations of Newton's method. */
export interface History {
  steps: number; // of a span
  start: number;
  t: number[]; // ends of spans
  least: number[];
  most: number[];
  iterations: number[]; // most of a step
}

type Code = [string, string, "c" | "d" | "f" | "s", number?, number?];
interface Info {
  trammel: string;
  title: string;
  notes: Record<string, string>;
  rows: number;
  kept: number;
  value_error: number;
  between_error: number;
  between_channel?: string;
  modes: boolean;
  channels: Code[];
  live?: { version: string; scene: string }; // with a server: version of the result, hash of the scene
}

/** A column of numbers, one per row. */
export interface Channel {
  name: string;
  unit: string;
  values: Float64Array;
  constant: boolean;
}

export interface Data {
  info: Info;
  scene: SceneData | null;
  channels: Channel[];
  byName: Map<string, Channel>;
  t: Float64Array; // of the rows; of a file of modes 0, 1, ...
  marks: Mark[];
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

function bytesOf(base64: string): DataView {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new DataView(bytes.buffer);
}

function decode(info: Info, view: DataView): Channel[] {
  const n = info.kept;
  let at = 0;
  return info.channels.map(([name, unit, code, low, high]) => {
    const values = new Float64Array(n);
    if (code === "c") values.fill(low ?? NaN);
    for (let i = 0; i < n && code !== "c"; i++) {
      if (code === "d") {
        values[i] = view.getFloat64(at, true);
        at += 8;
      } else if (code === "f") {
        values[i] = view.getFloat32(at, true);
        at += 4;
      } else {
        const k = view.getUint16(at, true);
        values[i] = k === 65535 ? NaN : low! + (k / 65534) * (high! - low!);
        at += 2;
      }
    }
    return { name, unit, values, constant: code === "c" };
  });
}

function parseMarks(info: Info): Mark[] {
  try {
    return info.notes.marks ? (JSON.parse(info.notes.marks) as Mark[]) : [];
  } catch {
    return [];
  }
}

/** The history of the steps, if the result has one with steps in it. */
export function parseHistory(info: Info): History | null {
  try {
    const h = JSON.parse(info.notes.steps ?? "null") as History | null;
    const n = h?.t?.length ?? 0;
    const whole = [h?.least, h?.most, h?.iterations].every((x) => Array.isArray(x) && x.length === n);
    return h && n > 0 && whole ? h : null;
  } catch {
    return null;
  }
}

/** How many results the page has beside its own. */
export function countBeside(): number {
  return document.querySelectorAll('script[id^="info-"]').length;
}

/** The result of the page (0), or one beside it. */
export function readData(number = 0): Data {
  const tail = number ? `-${number}` : "";
  const info = JSON.parse(textOf(`info${tail}`)) as Info;
  const scene = JSON.parse(textOf(`scene${tail}`)) as SceneData | null;
  const channels = decode(info, bytesOf(textOf(`data${tail}`)));
  const byName = new Map(channels.map((c) => [c.name, c]));
  const rows = Float64Array.from({ length: info.kept }, (_, i) => i);
  return { info, scene, channels, byName, t: byName.get("t")?.values ?? rows, marks: parseMarks(info) };
}

/** Take the rows of a later version of the result (view/serve/live.h). False: it is another result. */
export function updateData(data: Data, bytes: ArrayBuffer): boolean {
  const length = new DataView(bytes).getUint32(0, true);
  const info = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Info;
  const same =
    info.live?.scene === data.info.live?.scene &&
    info.modes === data.info.modes &&
    info.channels.length === data.channels.length &&
    info.channels.every(([name], i) => name === data.channels[i].name);
  if (!same) return false;
  decode(info, new DataView(bytes, 4 + length)).forEach((c, i) => {
    data.channels[i].values = c.values;
    data.channels[i].constant = c.constant;
  });
  data.info = info;
  data.t = data.byName.get("t")?.values ?? Float64Array.from({ length: info.kept }, (_, i) => i);
  data.marks = parseMarks(info);
  return true;
}

/** A place between rows: row i, share f of the way to the next one. */
export interface Cursor {
  i: number;
  f: number;
}

/** The last row at or before a time; of rows at the same time (a jump) the last one. */
export function cursorAt(t: Float64Array, time: number): Cursor {
  let low = 0;
  let high = t.length - 1;
  if (high < 1 || time <= t[0]) return { i: 0, f: 0 };
  if (time >= t[high]) return { i: high, f: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  const step = t[low + 1] - t[low];
  return { i: low, f: step > 0 ? (time - t[low]) / step : 0 };
}

export function valueAt(c: Channel, at: Cursor): number {
  const x = c.values[at.i];
  return at.f > 0 ? x + at.f * (c.values[at.i + 1] - x) : x;
}

/** Six significant digits, without trailing zeros. */
export function format(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "–" : x > 0 ? "∞" : "-∞";
  if (x === 0) return "0";
  const a = Math.abs(x);
  const text = x.toPrecision(6);
  if (a >= 1e6 || a < 1e-4) return Number(text).toExponential().replace("e+", "e");
  return String(Number(text));
}
