// Points of bodies that are drawn: where joints and forces act, and frames of their own.
import { isTyre, Place, SceneData, Shape } from "./data";

const far = (a: number[], b: number[]) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

interface Points {
  acted: Place[];
  frames: Place[];
}
const known = new WeakMap<SceneData, Map<number, Points>>(); // one pass over the model, not one per body

function pointsOf(model: SceneData, body: number): Points {
  let all = known.get(model);
  if (!all) {
    const found = (all = new Map<number, Points>());
    known.set(model, found);
    const put = (at: Place | undefined, kind: "acted" | "frames") => {
      if (!at) return;
      if (!found.has(at.body)) found.set(at.body, { acted: [], frames: [] });
      found.get(at.body)![kind].push(at);
    };
    const forces = model.forces.filter((f) => !isTyre(f));
    for (const e of [...model.joints, ...forces]) {
      put(e.a, "acted");
      put(e.b, "acted");
    }
    for (const f of model.frames) put(f.at, "frames");
  }
  return all.get(body) ?? { acted: [], frames: [] };
}

/** Where joints and forces act on a body. */
export function actedPlaces(model: SceneData, body: number): Place[] {
  return pointsOf(model, body).acted;
}

/** Named frames of a body away from its centre at which no joint and no force acts: pens, feet, probes. */
export function freePlaces(model: SceneData, body: number): Place[] {
  const { acted, frames } = pointsOf(model, body);
  const near = 1e-4 * (model.length || 1);
  const taken = [[0, 0, 0], ...acted.map((at) => at.p)];
  return frames.filter((at) => taken.every((p) => far(p, at.p) > near));
}

/** How far a shape reaches from its place [m]. */
export function reachOf(s: Shape): number {
  if (s.type === "plane") return Infinity;
  let r = (s.radius ?? 0) + (s.tube ?? 0) + (s.length ?? 0) / 2;
  if (s.size) r = Math.max(r, Math.hypot(...s.size) / 2);
  const o = s.outline ?? [];
  for (let i = 0; i + 1 < o.length; i += 2) r = Math.max(r, Math.hypot(o[i], o[i + 1]));
  const v = s.vertices ?? [];
  for (let i = 0; i + 2 < v.length; i += 3) r = Math.max(r, Math.hypot(v[i], v[i + 1], v[i + 2]));
  return r;
}

/** Do its shapes stand for the whole body? Not if all of its joints are outside them, as at a foot's sole;
 * nor, without joints, if they are small and all far from its centre, as the tips of spokes. */
export function isCovered(model: SceneData, body: number): boolean {
  const shapes = model.shapes.filter((s) => s.at.body === body);
  const acted = actedPlaces(model, body);
  if (shapes.length === 0) return false;
  if (acted.length === 0) return shapes.some((s) => far([0, 0, 0], s.at.p) <= 4 * reachOf(s));
  return acted.some((at) => shapes.some((s) => far(at.p, s.at.p) <= reachOf(s)));
}
