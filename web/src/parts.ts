// Geometries of what mechanisms are drawn with. Lengths in metres, or of unit size to be scaled.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CatmullRomCurve3,
  ConeGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  LatheGeometry,
  Matrix4,
  OctahedronGeometry,
  Path,
  Quaternion,
  Shape as Outline,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector2,
  Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { Shape } from "./data";

const ROUND = 128; // sides of what is round and may fill the picture
const DARKER = 0.68; // of the second tone, over the light of the first
const Z = new Vector3(0, 0, 1);

/** A cylinder along z, centred. */
export function rod(radius: number, length: number, sides = 24): BufferGeometry {
  return new CylinderGeometry(radius, radius, length, sides).rotateX(Math.PI / 2);
}

/** A ball; coarse: one of many. */
export function ball(radius: number, coarse: boolean): BufferGeometry {
  return coarse ? new OctahedronGeometry(radius) : new SphereGeometry(radius, 28, 18);
}

/** Two tones in the octants about the origin, of flat ones in the quadrants about z, which show how something
 * round turns. */
export function twoTone(round: BufferGeometry, flat: boolean): BufferGeometry {
  const g = round.index ? round.toNonIndexed() : round;
  const p = g.getAttribute("position");
  const tones = new Float32Array(3 * p.count).fill(1);
  for (let i = 0; i + 2 < p.count; i += 3) {
    const middle = (k: number) => p.getComponent(i, k) + p.getComponent(i + 1, k) + p.getComponent(i + 2, k);
    if (middle(0) * middle(1) * (flat ? 1 : middle(2)) < 0) tones.fill(DARKER, 3 * i, 3 * i + 9);
  }
  g.setAttribute("color", new BufferAttribute(tones, 3));
  return g;
}

/** A round bar between two points; coarse: one of many. */
export function bar(a: Vector3, b: Vector3, radius: number, coarse = false): BufferGeometry {
  const d = new Vector3().subVectors(b, a);
  const length = d.length();
  const g = coarse
    ? new CylinderGeometry(radius, radius, length, 5, 1, true).rotateX(Math.PI / 2)
    : new CapsuleGeometry(radius, length, 6, 20).rotateX(Math.PI / 2);
  const q = new Quaternion().setFromUnitVectors(Z, d.divideScalar(length || 1));
  return g.applyMatrix4(
    new Matrix4().compose(new Vector3().addVectors(a, b).multiplyScalar(0.5), q, new Vector3(1, 1, 1)),
  );
}

// The convex hull of points of the plane, counter-clockwise.
function hull2(points: Vector2[]): Vector2[] {
  if (points.length < 2) return points;
  const p = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const cross = (o: Vector2, a: Vector2, b: Vector2) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: Vector2[]) => {
    const h: Vector2[] = [];
    for (const q of list) {
      while (h.length > 1 && cross(h[h.length - 2], h[h.length - 1], q) <= 0) h.pop();
      h.push(q);
    }
    h.pop();
    return h;
  };
  return [...half(p), ...half(p.reverse())];
}

/** A plate with round corners about points of the x-y plane, as links of planar mechanisms are drawn. */
export function plate(
  points: Vector3[],
  radius: number,
  thickness: number,
  z = 0,
  coarse = false,
): BufferGeometry {
  const h = hull2(points.map((p) => new Vector2(p.x, p.y)));
  const outline = new Outline();
  const n = h.length;
  if (n === 1) {
    outline.absarc(h[0].x, h[0].y, radius, 0, 2 * Math.PI, false);
  } else {
    for (let i = 0; i < n; i++) {
      const before = h[(i + n - 1) % n];
      const at = h[i];
      const after = h[(i + 1) % n];
      const from = Math.atan2(at.y - before.y, at.x - before.x) - Math.PI / 2;
      let to = Math.atan2(after.y - at.y, after.x - at.x) - Math.PI / 2;
      while (to < from) to += 2 * Math.PI;
      outline.absarc(at.x, at.y, radius, from, to, false);
    }
    outline.closePath();
  }
  const bevel = coarse ? 0 : 0.15 * thickness;
  const g = new ExtrudeGeometry(outline, {
    depth: thickness - 2 * bevel,
    bevelEnabled: !coarse,
    bevelSize: bevel,
    bevelThickness: bevel,
    bevelOffset: -bevel,
    bevelSegments: 2,
    curveSegments: n === 1 ? (coarse ? 10 : 48) : coarse ? 2 : 12, // of the whole circle, of a corner
  });
  return g.translate(0, 0, z - thickness / 2 + bevel);
}

/** The same in the plane of points in space; null: they do not lie in a plane. */
export function plateInSpace(points: Vector3[], radius: number, thickness: number): BufferGeometry | null {
  const origin = points[0];
  let normal = new Vector3();
  for (const a of points)
    for (const b of points) {
      const n = new Vector3().crossVectors(a.clone().sub(origin), b.clone().sub(origin));
      if (n.lengthSq() > normal.lengthSq()) normal = n;
    }
  if (!(normal.length() > 0)) return null;
  normal.normalize();
  if (points.some((p) => Math.abs(p.clone().sub(origin).dot(normal)) > 0.8 * radius)) return null;
  const q = new Quaternion().setFromUnitVectors(Z, normal);
  const back = q.clone().invert();
  const flat = points.map((p) => p.clone().sub(origin).applyQuaternion(back));
  return plate(flat, radius, thickness).applyQuaternion(q).translate(origin.x, origin.y, origin.z);
}

/** A ring: hub of a revolute joint, along z. */
export function hub(outer: number, inner: number, length: number): BufferGeometry {
  const outline = new Outline();
  outline.absarc(0, 0, outer, 0, 2 * Math.PI, false);
  const hole = new Path();
  hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
  outline.holes.push(hole);
  const g = new ExtrudeGeometry(outline, { depth: length, bevelEnabled: false, curveSegments: 32 });
  return g.translate(0, 0, -length / 2);
}

/** A tyre about z: a ring with round shoulders. */
export function tyre(outer: number, inner: number, width: number): BufferGeometry {
  const corner = 0.45 * width; // radius of the shoulders
  const profile: Vector2[] = [new Vector2(inner, -0.4 * width)];
  for (const side of [-1, 1])
    for (let i = 0; i <= 8; i++) {
      const a = (side * (8 - (side < 0 ? i : 8 - i)) * Math.PI) / 16;
      const [r, z] = [outer - corner, side * (width / 2 - corner)]; // the middle of the shoulder
      profile.push(new Vector2(r + corner * Math.cos(a), z + corner * Math.sin(a)));
    }
  profile.push(new Vector2(inner, 0.4 * width), new Vector2(inner, -0.4 * width));
  return new LatheGeometry(profile, 72).rotateX(Math.PI / 2);
}

/** A coil of radius 1 along z from 0 to 1, of a spring whose length is `slender` times its radius; `wire`:
 * radius of the wire. */
export function coil(turns: number, slender: number, wire: number): BufferGeometry {
  const points: Vector3[] = [new Vector3(0, 0, 0)];
  const per = 14;
  const count = Math.round(turns * per);
  for (let i = 0; i <= count; i++) {
    const a = (2 * Math.PI * i) / per;
    points.push(new Vector3(Math.cos(a), Math.sin(a), slender * (0.1 + (0.8 * i) / count)));
  }
  points.push(new Vector3(0, 0, slender));
  return new TubeGeometry(new CatmullRomCurve3(points), count + 12, wire, 6, false).scale(1, 1, 1 / slender);
}

/** A flat spiral spring about z. */
export function spiral(radius: number, wire: number): BufferGeometry {
  const points: Vector3[] = [];
  for (let i = 0; i <= 60; i++) {
    const a = (i / 60) * 6 * Math.PI;
    const r = radius * (0.25 + (0.75 * i) / 60);
    points.push(new Vector3(r * Math.cos(a), r * Math.sin(a), 0));
  }
  return new TubeGeometry(new CatmullRomCurve3(points), 120, wire, 6, false);
}

/** A wheel with teeth about z. */
export function gear(radius: number, tooth: number, width: number): BufferGeometry {
  const count = Math.max(10, Math.round((2 * Math.PI * radius) / (2.6 * tooth)));
  const outline = new Outline();
  for (let i = 0; i < count; i++)
    [
      [0.0, -1],
      [0.22, -1],
      [0.34, 1],
      [0.62, 1],
      [0.74, -1],
    ].forEach(([share, side], k) => {
      const a = (2 * Math.PI * (i + share)) / count;
      const r = radius + side * 0.55 * tooth;
      if (i === 0 && k === 0) outline.moveTo(r * Math.cos(a), r * Math.sin(a));
      else outline.lineTo(r * Math.cos(a), r * Math.sin(a));
    });
  outline.closePath();
  const hole = new Path();
  hole.absarc(0, 0, 0.18 * radius, 0, 2 * Math.PI, true);
  outline.holes.push(hole);
  return new ExtrudeGeometry(outline, { depth: width, bevelEnabled: false }).translate(0, 0, -width / 2);
}

/** The symbol of the ground at a joint, standing on `up` = -z: a foot with a plate. */
export function ground(size: number): BufferGeometry {
  const foot = new CylinderGeometry(0.55 * size, 1.25 * size, 1.5 * size, 4, 1)
    .rotateY(Math.PI / 4)
    .rotateX(Math.PI / 2);
  const base = new BoxGeometry(2.6 * size, 2.6 * size, 0.35 * size).translate(0, 0, -0.9 * size);
  return mergeGeometries([foot.toNonIndexed(), base.toNonIndexed()])!.translate(0, 0, -0.75 * size);
}

/** An arrow along z from 0 to 1 in two parts: shaft from 0 to 1, and head of length 1 that ends at 0. */
export function arrowShaft(): BufferGeometry {
  return new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}
export function arrowHead(): BufferGeometry {
  return new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5);
}

/** The convex hull of points in space; null: they lie in a plane. */
export function block(points: Vector3[]): BufferGeometry | null {
  const g = new ConvexGeometry(points);
  g.computeBoundingBox();
  const size = g.boundingBox!.getSize(new Vector3());
  return Math.min(size.x, size.y, size.z) > 1e-3 * size.length() ? g : null;
}

/** The geometry of a shape of the model; flat: of a planar model, with this thickness. */
export function shapeGeometry(s: Shape, flat: number, coarse: boolean): BufferGeometry {
  const r = s.radius ?? 0;
  const l = s.length ?? 0;
  switch (s.type) {
    case "sphere":
      if (coarse) return flat > 0 ? rod(r, flat, 12) : new SphereGeometry(r, 8, 5);
      return flat > 0 ? rod(r, flat, ROUND) : new SphereGeometry(r, 64, 40);
    case "box": {
      const [x, y, z] = s.size ?? [1, 1, 1];
      return new BoxGeometry(x, y, z > 0 ? z : flat);
    }
    case "cylinder":
      return rod(r, l, coarse ? 10 : ROUND);
    case "capsule":
      return new CapsuleGeometry(r, l, coarse ? 3 : 10, coarse ? 10 : 28).rotateX(Math.PI / 2);
    case "cone":
      return new ConeGeometry(r, l, ROUND).rotateX(Math.PI / 2);
    case "torus":
      return new TorusGeometry(r, s.tube ?? r / 4, 20, 56);
    case "profile": {
      const o = s.outline ?? [];
      const curve = new Outline();
      for (let i = 0; i + 1 < o.length; i += 2) curve[i === 0 ? "moveTo" : "lineTo"](o[i], o[i + 1]);
      return new ExtrudeGeometry(curve, { depth: flat, bevelEnabled: false }).translate(0, 0, -flat / 2);
    }
    case "mesh": {
      const g = new BufferGeometry();
      g.setAttribute("position", new BufferAttribute(new Float32Array(s.vertices ?? []), 3));
      g.setIndex(s.triangles ?? []);
      const flatShaded = g.toNonIndexed();
      flatShaded.computeVertexNormals();
      return flatShaded;
    }
    default:
      return new SphereGeometry(r || 0.1, 16, 12);
  }
}

/** One geometry of several, for one draw call. */
export function merge(list: BufferGeometry[]): BufferGeometry {
  if (list.length === 1) return list[0];
  const plain = list.map((g) => {
    const p = g.index ? g.toNonIndexed() : g.clone();
    for (const name of Object.keys(p.attributes))
      if (name !== "position" && name !== "normal") p.deleteAttribute(name);
    if (!p.getAttribute("normal")) p.computeVertexNormals();
    return p;
  });
  return mergeGeometries(plain)!;
}
