// Beams as swept sections: rings of points at stations between the nodes, moved with them.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
} from "three";
import { Beam, SceneData } from "./data";
import { heat } from "./look";
import { Pose } from "./motion";

const PER_PART = 6; // stations between two nodes

// The outline of a section in its y-z plane, counter-clockwise.
function outline(b: Beam, fallback: number): [number, number][] {
  const w = (b.width ?? 2 * fallback) / 2;
  const h = (b.height ?? 2 * fallback) / 2;
  if (b.section === "rectangle")
    return [
      [-w, -h],
      [w, -h],
      [w, h],
      [-w, h],
    ];
  if (b.section === "i") {
    const t = (b.web ?? w / 5) / 2;
    const f = b.flange ?? h / 5;
    return [
      [-w, -h],
      [w, -h],
      [w, -h + f],
      [t, -h + f],
      [t, h - f],
      [w, h - f],
      [w, h],
      [-w, h],
      [-w, h - f],
      [-t, h - f],
      [-t, -h + f],
      [-w, -h + f],
    ];
  }
  if (b.section === "l") {
    const t = b.web ?? w / 5;
    const f = b.flange ?? h / 5;
    return [
      [-w, -h],
      [w, -h],
      [w, -h + f],
      [-w + t, -h + f],
      [-w + t, h],
      [-w, h],
    ];
  }
  const r = b.radius ?? fallback;
  return Array.from({ length: 16 }, (_, i) => {
    const a = (2 * Math.PI * i) / 16;
    return [r * Math.cos(a), r * Math.sin(a)];
  });
}

export class BeamMesh {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  readonly strain: Float32Array; // at the nodes, of the surface
  private readonly ring: [number, number][];
  private readonly rest: { length: number; turn: Quaternion }[] = [];
  private readonly reach: number; // of the section from its centre [m]
  private readonly colour = new Color();
  private readonly position: BufferAttribute;
  private readonly colours: BufferAttribute;
  private readonly base: Color;

  constructor(
    readonly beam: Beam,
    scene: SceneData,
    unit: number,
    colour: string,
  ) {
    this.ring = outline(beam, 0.5 * unit);
    // thin beams are drawn a little thicker, or nothing would be seen of them
    const own = Math.max(...this.ring.map(([y, z]) => Math.hypot(y, z)));
    this.reach = own;
    const least = beam.section === "general" ? 0.9 : 0.22; // only the stiffness of a general one is known
    const grow = Math.max(1, (least * unit) / own);
    this.ring = this.ring.map(([y, z]) => [y * grow, z * grow]);
    const stations = (beam.nodes.length - 1) * PER_PART + 1;
    const n = this.ring.length;
    const g = new BufferGeometry();
    const corners = stations * n * 2; // each side has its own corners: sharp edges
    this.position = new BufferAttribute(new Float32Array(3 * corners), 3);
    this.colours = new BufferAttribute(new Float32Array(3 * corners), 3);
    g.setAttribute("position", this.position);
    g.setAttribute("color", this.colours);
    const index: number[] = [];
    for (let s = 0; s + 1 < stations; s++)
      for (let k = 0; k < n; k++) {
        const a = (s * n + k) * 2 + 1;
        const b = (s * n + ((k + 1) % n)) * 2;
        index.push(a, b, b + 2 * n, a, b + 2 * n, a + 2 * n);
      }
    for (let k = 1; k + 1 < n; k++) {
      const last = (stations - 1) * n * 2;
      index.push(0, 2 * (k + 1), 2 * k, last, last + 2 * k, last + 2 * (k + 1));
    }
    g.setIndex(index);
    this.base = new Color(colour);
    this.mesh = new Mesh(
      g,
      new MeshStandardMaterial({ vertexColors: true, roughness: 0.5, metalness: 0.1, side: DoubleSide }),
    );
    this.mesh.frustumCulled = false;
    this.strain = new Float32Array(beam.nodes.length);
    const start = (i: number) => scene.bodies[beam.nodes[i]].q;
    for (let i = 0; i + 1 < beam.nodes.length; i++) {
      const [p, q] = [start(i), start(i + 1)];
      const a = new Quaternion(p[4], p[5], p[6], p[3]).invert();
      const b = new Quaternion(q[4], q[5], q[6], q[3]);
      this.rest.push({ length: Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]), turn: a.multiply(b) });
    }
  }

  // Strain of the surface at the nodes: extension and change of curvature against the start.
  private calcStrain(poses: Pose[]): void {
    const part = this.rest.map((rest, i) => {
      const a = poses[this.beam.nodes[i]];
      const b = poses[this.beam.nodes[i + 1]];
      const turn = a.q.clone().invert().multiply(b.q);
      const change = turn.multiply(rest.turn.clone().invert());
      const angle = 2 * Math.asin(Math.min(1, Math.hypot(change.x, change.y, change.z)));
      const length = a.p.distanceTo(b.p);
      return Math.abs(length - rest.length) / rest.length + (this.reach * angle) / rest.length;
    });
    const n = this.beam.nodes.length;
    for (let i = 0; i < n; i++) {
      const before = part[Math.max(0, i - 1)];
      const after = part[Math.min(n - 2, i)];
      this.strain[i] = (before + after) / 2;
    }
  }

  /** most: the strain of the hottest colour; 0: no strain is shown. */
  update(poses: Pose[], most: number): void {
    this.calcStrain(poses);
    const nodes = this.beam.nodes;
    const n = this.ring.length;
    const p = new Vector3();
    const q = new Quaternion();
    const v = new Vector3();
    const axes = nodes.map((b) => new Vector3(1, 0, 0).applyQuaternion(poses[b].q));
    let at = 0;
    for (let i = 0; i + 1 < nodes.length; i++) {
      const a = poses[nodes[i]];
      const b = poses[nodes[i + 1]];
      const length = a.p.distanceTo(b.p);
      for (let k = 0; k < (i + 2 === nodes.length ? PER_PART + 1 : PER_PART); k++) {
        const t = k / PER_PART;
        const [h0, h1] = [(1 + 2 * t) * (1 - t) * (1 - t), t * (1 - t) * (1 - t)];
        const [h2, h3] = [t * t * (3 - 2 * t), t * t * (t - 1)];
        p.copy(a.p)
          .multiplyScalar(h0)
          .addScaledVector(axes[i], length * h1);
        p.addScaledVector(b.p, h2).addScaledVector(axes[i + 1], length * h3);
        q.slerpQuaternions(a.q, b.q, t);
        if (most > 0) heat((this.strain[i] * (1 - t) + this.strain[i + 1] * t) / most, this.colour);
        else this.colour.copy(this.base);
        for (let j = 0; j < n; j++) {
          v.set(0, this.ring[j][0], this.ring[j][1]).applyQuaternion(q).add(p);
          for (let side = 0; side < 2; side++, at++) {
            this.position.setXYZ(at, v.x, v.y, v.z);
            this.colours.setXYZ(at, this.colour.r, this.colour.g, this.colour.b);
          }
        }
      }
    }
    this.position.needsUpdate = true;
    this.colours.needsUpdate = true;
    this.mesh.geometry.computeVertexNormals();
    this.mesh.geometry.computeBoundingSphere();
  }

  largest(): number {
    return this.strain.reduce((a, b) => Math.max(a, b), 0);
  }
}
