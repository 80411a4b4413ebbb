// Arrows of forces and moments: reactions of joints, forces where bodies touch.
import { BufferGeometry, Mesh, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { Channel, Cursor, Data, Joint, valueAt } from "./data";
import { Theme } from "./look";
import { worldPlace } from "./motion";
import { FRONT, Workshop } from "./workshop";
import * as parts from "./parts";

/** What the page can show: reaction forces, reaction moments, forces of contacts. */
export type Load = "forces" | "moments" | "contacts";

type Vector = (Channel | undefined)[]; // x, y, z; planar models have no z

interface Arrow {
  name: string;
  load: Load;
  vector: Vector;
  place: (at: Cursor, p: Vector3) => void; // where it begins
  shaft: Mesh;
  head: Mesh;
  second?: Mesh; // a moment has two heads
  point?: Mesh; // of contact
  begin: Vector3;
  length: number; // as drawn
}

const COMPONENTS = ["x", "y", "z"];
const REACH = 0.28; // length of the largest arrow over the size of the mechanism
const FARTHEST = 5; // longer arrows than this many times the largest, of impacts, are cut
// The share of the rows in which bodies touch whose forces are the largest ones: impacts are far above all
// others.
const RARE = 0.05;

export class Arrows {
  scale = 1;
  /** Some of them may be drawn, in front of all else. */
  areShown = false;
  haveFriction = false;
  private at: Cursor = { i: 0, f: 0 };
  private readonly arrows: Arrow[] = [];
  private readonly most: Record<"force" | "moment", number> = { force: 0, moment: 0 };

  constructor(private readonly w: Workshop) {}

  /** The reaction of a joint on its second body. */
  addReaction(j: Joint): void {
    const { byName } = this.w.data;
    if (!byName.has(`${j.name}.fx`) || !j.b) return;
    const at = j.type === "wheel" ? wheelContact(this.w, j) : null;
    const place = (_: Cursor, p: Vector3) => (at ? at(p) : worldPlace(this.w.motion.poses, j.b!, p));
    const vector = (letter: string) => COMPONENTS.map((k) => byName.get(`${j.name}.${letter}${k}`));
    this.add(j.name, "forces", "force", vector("f"), place);
    this.add(j.name, "moments", "moment", vector("m"), place);
  }

  /** The contact forces of a force element, by the names of its channels. */
  addContacts(name: string): void {
    const { channels, byName } = this.w.data;
    for (const c of channels) {
      if (!c.name.startsWith(`${name}.`) || !c.name.endsWith("point_x")) continue;
      const head = c.name.slice(0, -"point_x".length);
      const vector = (what: string) => COMPONENTS.map((k) => byName.get(`${head}${what}_${k}`));
      const point = vector("point");
      const place = (at: Cursor, p: Vector3) => setVector(point, at, p).sub(this.w.motion.origin);
      this.add(name, "contacts", "contact", vector("normal"), place);
      if (!byName.has(`${head}friction_x`)) continue;
      this.add(name, "contacts", "friction", vector("friction"), place);
      this.haveFriction = true;
    }
  }

  private add(name: string, load: Load, key: keyof Theme, vector: Vector, place: Arrow["place"]): void {
    const { w } = this;
    const m = new MeshStandardMaterial({ color: w.colour(key), roughness: 0.6 });
    w.follow(m, key);
    const make = (g: BufferGeometry) => {
      const mesh = new Mesh(g, m);
      mesh.visible = false;
      mesh.layers.set(FRONT);
      mesh.matrixAutoUpdate = false;
      w.scene.add(mesh);
      return mesh;
    };
    this.arrows.push({
      name,
      load,
      vector,
      place,
      shaft: make(parts.arrowShaft()),
      head: make(parts.arrowHead()),
      second: load === "moments" ? make(parts.arrowHead()) : undefined,
      point: key === "contact" ? make(new SphereGeometry(0.75 * w.unit, 16, 12)) : undefined,
      begin: new Vector3(),
      length: 0,
    });
  }

  has(load: Load): boolean {
    return this.arrows.some((a) => a.load === load);
  }

  /** The loads that scale the arrows: the largest reactions of the run, and of the contacts those that are
   * not rare. */
  measure(data: Data): void {
    for (const a of this.arrows) {
      const sizes = new Float64Array(data.t.length);
      const v = new Vector3();
      for (let i = 0; i < sizes.length; i++) sizes[i] = setVector(a.vector, { i, f: 0 }, v).length();
      const found = sizes.filter((x) => Number.isFinite(x) && x > 0).sort();
      const rare = a.load === "contacts" ? Math.floor(RARE * found.length) : 0;
      const kind = a.load === "moments" ? "moment" : "force";
      if (found.length) this.most[kind] = Math.max(this.most[kind], found[found.length - 1 - rare]);
    }
  }

  /** The length of the largest arrow, before the slider changes it [m]. */
  get reach(): number {
    return REACH * this.w.size;
  }

  /** The load of an arrow of that length [N or N m]. */
  ofLength(kind: "force" | "moment"): number {
    return this.most[kind] / this.scale;
  }

  update(at: Cursor, show: Record<Load, boolean>): void {
    const { unit } = this.w;
    const d = new Vector3();
    const q = new Quaternion();
    this.at = at;
    this.areShown = this.arrows.some((a) => show[a.load]);
    for (const a of this.arrows) {
      const load = show[a.load] ? setVector(a.vector, at, d).length() : 0;
      const most = this.most[a.load === "moments" ? "moment" : "force"];
      const share = most > 0 ? Math.min((this.scale * load) / most, FARTHEST) : 0;
      a.length = this.reach * share;
      const visible = a.length > 0.3 * unit;
      a.shaft.visible = a.head.visible = visible;
      if (a.second) a.second.visible = visible;
      if (a.point) a.point.visible = load > 0;
      if (load === 0) continue;
      a.place(at, a.begin);
      a.point?.matrix.makeTranslation(a.begin);
      if (!visible) continue;
      d.normalize();
      q.setFromUnitVectors(new Vector3(0, 0, 1), d);
      const thick = 0.42 * unit;
      const head = Math.min(3 * unit, 0.4 * a.length);
      a.shaft.matrix.compose(a.begin, q, new Vector3(thick, thick, a.length - head));
      const tip = a.begin.clone().addScaledVector(d, a.length);
      const wide = new Vector3(2.4 * thick, 2.4 * thick, head);
      a.head.matrix.compose(tip, q, wide);
      a.second?.matrix.compose(tip.addScaledVector(d, -0.75 * head), q, wide);
    }
  }

  /** Where a contact is at the time of the last update; null: it has no arrows. */
  placeOf(name: string): Vector3 | null {
    const arrow = this.arrows.find((a) => a.load === "contacts" && a.name === name);
    arrow?.place(this.at, arrow.begin);
    return arrow?.begin ?? null;
  }

  /** What is drawn now; for tests. */
  get drawn(): { name: string; load: Load; begin: number[]; end: number[]; size: number }[] {
    const end = new Vector3();
    return this.arrows
      .filter((a) => a.shaft.visible)
      .map((a) => ({
        name: a.name,
        load: a.load,
        begin: a.begin.toArray(),
        end: end.setFromMatrixPosition(a.head.matrix).toArray(),
        // as one reads it off by the scale of the page
        size: (a.length / this.reach) * this.ofLength(a.load === "moments" ? "moment" : "force"),
      }));
  }
}

function setVector(vector: Vector, at: Cursor, v: Vector3): Vector3 {
  vector.forEach((c, k) => v.setComponent(k, c ? valueAt(c, at) : 0));
  return v;
}

// Where the disc of a wheel touches the x-y plane of its first place: at its lowest point.
function wheelContact(w: Workshop, j: Joint): (p: Vector3) => void {
  const [up, axis] = [new Vector3(), new Vector3()];
  const [q, origin] = [new Quaternion(), new Vector3()];
  return (p) => {
    worldPlace(w.motion.poses, j.a!, origin, q);
    up.set(0, 0, 1).applyQuaternion(q);
    worldPlace(w.motion.poses, j.b!, p, q);
    axis.set(0, 0, 1).applyQuaternion(q);
    axis.multiplyScalar(axis.dot(up)).sub(up); // down, in the plane of the disc
    if (axis.lengthSq() > 0) p.addScaledVector(axis.normalize(), j.radius ?? 0);
    p.addScaledVector(up, -up.dot(p.clone().sub(origin))); // on the plane, below a tread
  };
}
