// Arrows of the reactions of joints.
import { BufferGeometry, Mesh, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import { Cursor, Data, Joint, Place, valueAt } from "./data";
import { Theme } from "./look";
import { worldPlace } from "./motion";
import { FRONT, Workshop } from "./workshop";
import * as parts from "./parts";

interface Arrow {
  shaft: Mesh;
  head: Mesh;
  at: Place;
  channels: string[];
  double: boolean; // a moment: two heads
  second?: Mesh;
}

export class Arrows {
  scale = 1;
  private readonly arrows: Arrow[] = [];
  private forceMost = 0;
  private momentMost = 0;

  add(w: Workshop, j: Joint): void {
    if (!w.data.byName.has(`${j.name}.fx`)) return;
    for (const [letter, key] of [
      ["f", "force"],
      ["m", "moment"],
    ] as [string, keyof Theme][]) {
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
        shaft: make(parts.arrowShaft()),
        head: make(parts.arrowHead()),
        second: letter === "m" ? make(parts.arrowHead()) : undefined,
        at: j.b!,
        channels: ["x", "y", "z"].map((k) => `${j.name}.${letter}${k}`),
        double: letter === "m",
      });
    }
  }

  get isEmpty(): boolean {
    return this.arrows.length === 0;
  }

  /** The largest loads of the run, which scale the arrows. */
  measure(data: Data): void {
    const most = (names: string[]) => {
      const c = names.map((n) => data.byName.get(n)).filter((x) => x); // planar models have no others
      let m = 0;
      for (let i = 0; i < data.t.length; i++) m = Math.max(m, Math.hypot(...c.map((x) => x!.values[i])));
      return Number.isFinite(m) ? m : 0;
    };
    for (const a of this.arrows)
      if (a.double) this.momentMost = Math.max(this.momentMost, most(a.channels));
      else this.forceMost = Math.max(this.forceMost, most(a.channels));
  }

  update(w: Workshop, at: Cursor, forces: boolean, moments: boolean): void {
    const [p, d] = [new Vector3(), new Vector3()];
    const q = new Quaternion();
    for (const a of this.arrows) {
      const shown = a.double ? moments : forces;
      const most = a.double ? this.momentMost : this.forceMost;
      a.channels.forEach((n, k) => {
        const c = w.data.byName.get(n);
        d.setComponent(k, c ? valueAt(c, at) : 0);
      });
      const length = most > 0 ? (0.28 * w.size * this.scale * d.length()) / most : 0;
      const visible = shown && length > 0.3 * w.unit;
      [a.shaft, a.head, a.second].forEach((o) => o && (o.visible = visible));
      if (!visible) continue;
      worldPlace(w.motion.poses, a.at, p);
      d.normalize();
      q.setFromUnitVectors(new Vector3(0, 0, 1), d);
      const thick = 0.42 * w.unit;
      const head = Math.min(3 * w.unit, 0.4 * length);
      a.shaft.matrix.compose(p, q, new Vector3(thick, thick, length - head));
      const tip = p.clone().addScaledVector(d, length);
      a.head.matrix.compose(tip, q, new Vector3(2.4 * thick, 2.4 * thick, head));
      const size = new Vector3(2.4 * thick, 2.4 * thick, head);
      a.second?.matrix.compose(tip.addScaledVector(d, -0.75 * head), q, size);
    }
  }
}
