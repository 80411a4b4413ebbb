// Joints: hubs, rails, gears, and feet where they stand on the ground.
import { BoxGeometry, DoubleSide, PlaneGeometry, SphereGeometry, Vector3 } from "three";
import { Arrows } from "./arrows";
import { Joint, Place } from "./data";
import { gearWheels } from "./gears";
import { Item } from "./items";
import { drawWheel } from "./wheel";
import { Workshop } from "./workshop";
import * as parts from "./parts";

export function addJoints(w: Workshop, arrows: Arrows): void {
  w.model.joints.forEach((j, i) => {
    const item = w.item("joint", i, j.name, j.type);
    if (j.a && j.b) {
      drawJoint(w, j, item);
      arrows.addReaction(j);
    } else if (j.type === "gear") drawGears(w, j, item);
  });
}

function addFoot(w: Workshop, at: Place, item: Item): void {
  const foot = w.mesh(parts.ground(1.3 * w.unit), w.themedMaterial("ground"), item);
  foot.position.fromArray(at.p);
  foot.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), w.up);
  w.fixed.add(foot);
}

// How far a coordinate of a joint goes.
function rangeOf(w: Workshop, name: string): [number, number] {
  const c = w.data.byName.get(name);
  if (!c) return [0, 0];
  return c.values.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [c.values[0], c.values[0]]);
}

function addRail(w: Workshop, j: Joint, item: Item): void {
  const u = w.unit;
  const [low, high] = rangeOf(w, `${j.name}.distance`);
  const from = Math.min(low, 0) - 2.5 * u;
  const to = Math.max(high, 0) + 2.5 * u;
  const g = parts.rod(0.45 * u, to - from).translate(0, 0, (from + to) / 2);
  w.attach(g, w.themedMaterial("metal"), j.a!, item);
}

function drawJoint(w: Workshop, j: Joint, item: Item): void {
  const u = w.unit;
  const a = j.a!;
  const b = j.b!;
  const metal = w.themedMaterial("metal");
  const dark = w.themedMaterial("dark");
  const onGround = a.body < 0 ? a : b.body < 0 ? b : null;
  const footed = [
    "revolute",
    "spherical",
    "universal",
    "fixed",
    "cylindrical",
    "constant_velocity",
    "distance",
  ];
  if (onGround && footed.includes(j.type) && !w.thinned) addFoot(w, onGround, item);
  const width = w.model.planar ? 4.6 * u : 3 * u;
  switch (j.type) {
    case "revolute":
      w.attach(
        parts.merge(
          w.thinned
            ? [parts.rod(0.8 * u, width, 5)]
            : [parts.hub(1.25 * u, 0.65 * u, 0.62 * width), parts.rod(0.6 * u, width)],
        ),
        dark,
        b,
        item,
      );
      break;
    case "cylindrical":
    case "screw":
      addRail(w, j, item);
      w.attach(parts.hub(1.2 * u, 0.55 * u, 3.2 * u), dark, b, item);
      break;
    case "prismatic":
      addRail(w, j, item);
      w.attach(new BoxGeometry(2.4 * u, 2.4 * u, 3.6 * u), dark, b, item);
      break;
    case "point_on_line":
      addRail(w, j, item);
      w.attach(new SphereGeometry(u, 20, 14), dark, b, item);
      break;
    case "spherical":
    case "constant_velocity":
      w.attach(
        parts.ball(1.15 * u, w.thinned),
        dark,
        b,
        item,
      );
      break;
    case "universal":
      w.attach(
        parts.merge([
          parts.rod(0.45 * u, 2.8 * u).rotateY(Math.PI / 2),
          parts.rod(0.45 * u, 2.8 * u).rotateX(Math.PI / 2),
          new SphereGeometry(0.7 * u, 16, 12),
        ]),
        dark,
        b,
        item,
      );
      break;
    case "fixed":
      w.attach(new BoxGeometry(1.6 * u, 1.6 * u, 1.6 * u), metal, b, item);
      break;
    case "planar":
    case "point_on_plane":
    case "knife_edge": {
      const sheet = new PlaneGeometry(14 * u, 14 * u);
      const m = w.themedMaterial("metal", 0.25);
      m.side = DoubleSide;
      if (a.body >= 0) w.attach(sheet, m, a, item).castShadow = false;
      w.attach(new SphereGeometry(0.9 * u, 20, 14), dark, b, item);
      break;
    }
    case "wheel":
      drawWheel(w, b, j.radius ?? u, new Vector3(0, 0, 1), w.bodyItem(b.body) ?? item, item, 0.16);
      break;
    case "distance": {
      const rod = w.mesh(parts.rod(0.5, 1).translate(0, 0, 0.5), metal, item);
      w.scene.add(rod);
      w.connectors.push({
        a,
        b,
        objects: [{ object: rod, width: 0.9 * u, from: 0, to: 1 }],
      });
      [a, b].forEach((p) => w.attach(new SphereGeometry(0.8 * u, 16, 12), dark, p, item));
      break;
    }
    default:
      w.attach(new SphereGeometry(0.9 * u, 16, 12), dark, b, item);
  }
}

function drawGears(w: Workshop, j: Joint, item: Item): void {
  const wheels = gearWheels(w.model, w.motion.poses, j);
  if (!wheels || wheels[0].radius + wheels[1].radius < 2 * w.unit) return;
  const metal = w.themedMaterial("metal");
  for (const { at, radius } of wheels)
    w.attach(parts.gear(radius, 0.9 * w.unit, 1.6 * w.unit), metal, at, item);
}
