// How large the mechanism is and how far it goes: drawing and cameras are scaled by it.
import { Box3, Quaternion, Vector3 } from "three";
import { Data, Place, SceneData } from "./data";
import { Motion, worldPlace } from "./motion";
import { freePlaces, reachOf } from "./points";

export interface Extent {
  box: Box3; // of the mechanism at the start
  travel: Box3; // of all rows
  size: number; // of the mechanism [m]
  unit: number; // size of hubs [m]
}

/** Leaves the motion at the start. */
export function measureExtent(data: Data, model: SceneData, motion: Motion, thinned: boolean): Extent {
  if (data.info.modes) motion.setMode(0, 0, 0);
  else motion.setTime(data.t[0]);
  const box = measureStart(model, motion);
  const travel = box.clone();
  if (!data.info.modes) measureTravel(travel, data, model, motion, thinned ? 8 : 60);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  const size = box.getSize(new Vector3()).length() || model.length || 1;
  const unit = Math.max(0.003 * size, Math.min(0.013 * size, 0.12 * (linkLength(model) || size)));
  return { box, travel, size, unit };
}

// The median of the lengths of bodies that are links: hubs of a long chain must not hide them.
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
  return lengths.sort((a, b) => a - b)[lengths.length >> 1] ?? 0;
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
    if ((e.type === "tyre" || e.type === "wheel") && e.b) {
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
      for (let k = 0; k < 8; k++) {
        const corner = s.size.map((x, c) => ((k >> c) & 1 ? x / 2 : -x / 2));
        const turned = new Vector3(...corner).applyQuaternion(
          new Quaternion(s.at.q[1], s.at.q[2], s.at.q[3], s.at.q[0]),
        );
        see({ ...s.at, p: [s.at.p[0] + turned.x, s.at.p[1] + turned.y, s.at.p[2] + turned.z] });
      }
      continue;
    }
    worldPlace(motion.poses, s.at, p);
    const r = reachOf(s);
    box.expandByPoint(p.clone().subScalar(r)).expandByPoint(p.clone().addScalar(r));
  }
  return box;
}

// The box of all that joints, forces and bodies reach in the course of the run.
function measureTravel(travel: Box3, data: Data, model: SceneData, motion: Motion, rows: number): void {
  const { t } = data;
  const acted = [...model.joints, ...model.forces].flatMap((e) => [e.a, e.b]);
  const places = acted.filter((a) => a && a.body >= 0) as Place[];
  model.bodies.forEach((_, i) => places.push(...freePlaces(model, i)));
  const p = new Vector3();
  for (let i = 0; i < rows; i++) {
    motion.setTime(t[0] + ((t[t.length - 1] - t[0]) * i) / (rows - 1));
    for (const pose of motion.poses) travel.expandByPoint(pose.p);
    for (const at of places) {
      worldPlace(motion.poses, at, p);
      travel.expandByPoint(p);
    }
  }
  motion.setTime(t[0]);
}
