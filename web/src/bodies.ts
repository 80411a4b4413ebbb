// Bodies without shapes: links from joint to joint.
import { BufferGeometry, Group, Vector3 } from "three";
import { isTyre } from "./data";
import { material, palette } from "./look";
import { actedPlaces, freePlaces, isCovered } from "./points";
import { Workshop } from "./workshop";
import * as parts from "./parts";

// Bodies that shapes cover, or that are drawn with the beam or part they belong to, get no links.
export function addBodies(w: Workshop): void {
  const nodes = new Set([...w.model.beams, ...w.model.modal_bodies].flatMap((b) => b.nodes));
  const wheels = new Set(
    [
      ...w.model.forces.filter(isTyre),
      ...w.model.joints.filter((j) => j.type === "wheel"),
    ].map((f) => f.b?.body ?? -1),
  );
  w.model.bodies.forEach((b, i) => {
    const group = new Group();
    w.bodies.push(group);
    w.scene.add(group);
    if (nodes.has(i)) return;
    const item = w.item("body", i, b.name, b.point ? "point mass" : "body");
    if (isCovered(w.model, i)) return;
    const colour = palette[i % palette.length];
    const { g, solid } = drawBody(w, i, wheels.has(i));
    if (g.length) group.add(w.mesh(parts.merge(g), material(colour, solid ? 0.45 : 1), item));
  });
  w.model.modal_bodies.forEach((m) => {
    if (m.nodes.length < 2) return;
    const reference = m.nodes[0];
    const at = (k: number) => {
      const p = w.motion.poses[k].p.clone().sub(w.motion.poses[reference].p);
      return p.applyQuaternion(w.motion.poses[reference].q.clone().invert());
    };
    const bars = m.nodes.slice(1).map((k) => parts.bar(at(reference), at(k), 0.8 * w.unit, w.thinned));
    const item = w.item("body", reference, w.model.bodies[reference].name, "modal body");
    w.bodies[reference].add(
      w.mesh(parts.merge(bars), material(palette[reference % palette.length]), item),
    );
    m.nodes.slice(1).forEach((k) => w.item("body", k, w.model.bodies[k].name, "node"));
  });
}

// The points of a body, in its axes: where joints and forces act, free frames, and shapes; equal ones once.
function pointsOf(w: Workshop, body: number): Vector3[] {
  const list: Vector3[] = [];
  const shapes = w.model.shapes.map((s) => s.at).filter((at) => at.body === body);
  const acted = actedPlaces(w.model, body);
  for (const at of acted.length || shapes.length ? [...acted, ...freePlaces(w.model, body), ...shapes] : []) {
    const p = new Vector3(at.p[0], at.p[1], at.p[2]);
    if (!list.some((q) => q.distanceTo(p) < 1e-4 * w.size)) list.push(p);
  }
  return list;
}

// solid: a block that hides what is behind it, unless one can look through it.
function drawBody(w: Workshop, body: number, wheel: boolean): { g: BufferGeometry[]; solid?: boolean } {
  const points = pointsOf(w, body);
  const hull = !w.model.planar && points.length >= 6 ? parts.block(points) : null;
  const flat = hull ? parts.plateInSpace(points, 1.2 * w.unit, 1.4 * w.unit) : null;
  if (hull && !flat) return { g: [hull], solid: true };
  return { g: drawLinks(w, body, points, wheel) };
}

function drawLinks(w: Workshop, body: number, points: Vector3[], wheel: boolean): BufferGeometry[] {
  const u = w.unit;
  const centre = new Vector3();
  if (w.model.bodies[body].point) return [parts.ball(1.8 * u, w.thinned)];
  if (points.length === 0) {
    const ball = parts.ball(2.4 * u, w.thinned);
    return wheel ? [] : [w.thinned ? ball : parts.twoTone(ball, false)];
  }
  const far = points.filter((p) => p.length() > 1.5 * u);
  if (w.model.planar && actedPlaces(w.model, body).length === 0 && points.length > 2) {
    const z = ((body % 3) - 1) * 1.15 * u;
    return points.map((p) => parts.plate([centre, p], 0.6 * u, u, z, w.thinned));
  }
  if (w.model.planar) {
    const all = points.length === 1 && far.length === 1 ? [...points, centre] : points;
    const z = ((body % 3) - 1) * 1.15 * u;
    const g = [parts.plate(all, 1.15 * u, u, z, w.thinned)];
    if (points.length === 1 && far.length === 1) g.push(parts.rod(2.0 * u, 1.3 * u).translate(0, 0, z));
    return g;
  }
  if (points.length === 1) {
    if (far.length === 0) return wheel ? [] : [parts.ball(1.8 * u, w.thinned)];
    return [parts.bar(points[0], centre, 0.7 * u, w.thinned), parts.ball(1.9 * u, w.thinned)];
  }
  if (points.length === 2) {
    const g = [parts.bar(points[0], points[1], 0.75 * u, w.thinned)];
    const d = new Vector3().subVectors(points[1], points[0]);
    const off = new Vector3().crossVectors(d, points[0]).length() / (d.length() || 1);
    if (off > 2.5 * u)
      g.push(
        parts.bar(points[0].clone().lerp(points[1], 0.5), centre, 0.6 * u, w.thinned),
        parts.ball(1.6 * u, w.thinned),
      );
    return g;
  }
  if (points.length === 3)
    return [0, 1, 2].map((k) => parts.bar(points[k], points[(k + 1) % 3], 0.6 * u, w.thinned));
  const sheet = parts.plateInSpace(points, 1.2 * u, 1.4 * u);
  if (sheet) return [sheet];
  const middle = points.reduce((s, p) => s.add(p), new Vector3()).divideScalar(points.length);
  return points.map((p) => parts.bar(middle, p, 0.65 * u, w.thinned));
}
