// How large the mechanism is and how far it goes: drawing and cameras are scaled by it.
import { Box3, Quaternion, Vector3 } from "three";
import { Data, isTyre, Place, SceneData, Shape } from "./data";
import { gearWheels } from "./gears";
import { Motion, Pose, worldPlace } from "./motion";
import { freePlaces, reachOf } from "./points";

/** A ball that must be seen. */
export interface Ball {
  p: Vector3;
  r: number;
}

export interface Extent {
  box: Box3; // of the mechanism at the start
  travel: Box3; // of all rows
  size: number; // of the mechanism [m]
  unit: number; // size of hubs [m]
  seen: Ball[]; // what is drawn, over all rows
  seenFrom: Ball[]; // the same, relative to the heaviest body
}

/** Leaves the motion at the start. heaviest: the body that a camera would follow. */
export function measureExtent(
  data: Data,
  model: SceneData,
  motion: Motion,
  thinned: boolean,
  heaviest: number,
): Extent {
  const start = () => (data.info.modes ? motion.setMode(0, 0, 0) : motion.setTime(data.t[0]));
  const rows = data.info.modes ? 1 : thinned ? 8 : 60;
  start();
  const box = measureStart(model, motion);
  const travel = box.clone();
  const parts = placesOf(model, motion.poses, thinned);
  const seen: Ball[] = [];
  const seenFrom: Ball[] = [];
  for (let i = 0; i < rows; i++) {
    if (rows > 1) motion.setTime(data.t[0] + ((data.t[data.t.length - 1] - data.t[0]) * i) / (rows - 1));
    const origin = motion.poses[heaviest]?.p ?? new Vector3();
    for (const { at, r } of parts) {
      const p = new Vector3();
      worldPlace(motion.poses, at, p);
      travel.expandByPoint(p);
      seen.push({ p, r });
      if (at.body >= 0) seenFrom.push({ p: p.clone().sub(origin), r });
    }
  }
  start();
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  // a single point has no size: then its path has
  const own = box.getSize(new Vector3()).length();
  const path = travel.getSize(new Vector3()).length();
  const size = (own > 1e-6 * path ? own : path) || model.length || 1;
  const unit = Math.max(0.003 * size, Math.min(0.013 * size, 0.12 * (linkLength(model) || size)));
  for (const ball of [...seen, ...seenFrom]) ball.r = Math.max(ball.r, 2 * unit);
  return { box, travel, size, unit, seen, seenFrom };
}

// Centres of bodies, where joints and forces act, free frames, tyres, gears and shapes with how far they
// reach. poses: of the start.
function placesOf(model: SceneData, poses: Pose[], thinned: boolean): { at: Place; r: number }[] {
  const list: { at: Place; r: number }[] = [];
  const add = (at: Place | undefined, r = 0) => {
    if (at) list.push({ at, r });
  };
  model.bodies.forEach((_, i) => {
    add({ body: i, p: [0, 0, 0], q: [1, 0, 0, 0] });
    if (!thinned) freePlaces(model, i).forEach((at) => add(at));
  });
  for (const e of [...model.joints, ...model.forces]) {
    const r = isTyre(e) || e.type === "wheel" ? (e.radius ?? 0) : 0;
    add(e.a);
    add(e.b, r);
    const gear = e.type === "gear" ? gearWheels(model, poses, e) : null;
    gear?.forEach(({ at, radius }) => add(at, radius));
  }
  for (const s of model.shapes) {
    if (s.type === "plane") continue;
    if (!s.size || thinned) {
      add(s.at, reachOf(s));
      continue;
    }
    for (const p of cornersOf(s)) add({ ...s.at, p });
  }
  return list;
}

// The corners of a box, in the axes of its body.
function cornersOf(s: Shape): number[][] {
  const turn = new Quaternion(s.at.q[1], s.at.q[2], s.at.q[3], s.at.q[0]);
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => {
    const corner = s.size!.map((x, c) => ((k >> c) & 1 ? x / 2 : -x / 2));
    const p = new Vector3(corner[0], corner[1], corner[2]).applyQuaternion(turn);
    return [s.at.p[0] + p.x, s.at.p[1] + p.y, s.at.p[2] + p.z];
  });
}

// The median of the lengths of bodies that are links: hubs of a long chain must not hide them. What is much
// shorter than the longest, such as the offset of two joints of a leg, is no link.
function linkLength(model: SceneData): number {
  const places = new Map<number, Place[]>();
  for (const e of [...model.joints, ...model.forces])
    for (const at of [e.a, e.b])
      if (at && at.body >= 0) places.set(at.body, [...(places.get(at.body) ?? []), at]);
  const lengths: number[] = [];
  for (const list of places.values()) {
    if (list.length > 40) continue; // a frame that holds many
    const far = Math.max(
      ...list.flatMap((a) => list.map((b) => Math.hypot(a.p[0] - b.p[0], a.p[1] - b.p[1], a.p[2] - b.p[2]))),
    );
    if (far > 0) lengths.push(far);
  }
  const longest = Math.max(0, ...lengths);
  const links = lengths.filter((x) => x > 0.1 * longest).sort((a, b) => a - b);
  return links[links.length >> 1] ?? 0;
}

// The box of the start.
function measureStart(model: SceneData, motion: Motion): Box3 {
  const box = new Box3();
  const p = new Vector3();
  motion.poses.forEach((b) => box.expandByPoint(b.p));
  const see = (at?: Place) => {
    if (!at) return;
    worldPlace(motion.poses, at, p);
    box.expandByPoint(p);
  };
  for (const e of [...model.joints, ...model.forces]) {
    see(e.a);
    see(e.b);
    if ((isTyre(e) || e.type === "wheel") && e.b) {
      worldPlace(motion.poses, e.b, p);
      box
        .expandByPoint(p.clone().subScalar(e.radius ?? 0))
        .expandByPoint(p.clone().addScalar(e.radius ?? 0));
    }
  }
  model.bodies.forEach((_, i) => freePlaces(model, i).forEach(see));
  for (const s of model.shapes) {
    if (s.type === "plane") continue;
    if (s.size) {
      cornersOf(s).forEach((corner) => see({ ...s.at, p: corner }));
      continue;
    }
    worldPlace(motion.poses, s.at, p);
    const r = reachOf(s);
    box.expandByPoint(p.clone().subScalar(r)).expandByPoint(p.clone().addScalar(r));
  }
  return box;
}
