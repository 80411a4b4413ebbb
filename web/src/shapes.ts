// The shapes of bodies, of display and of contact.
import {
  Box2,
  BoxGeometry,
  BufferGeometry,
  DoubleSide,
  Mesh,
  PlaneGeometry,
  Quaternion,
  Vector2,
  Vector3,
} from "three";
import { Shape } from "./data";
import { colourOf, material, palette } from "./look";
import { Workshop } from "./workshop";
import * as parts from "./parts";

// A sheet, in planar models a strip, in the axes of the shape. Floors reach beyond all that moves.
function planeGeometry(w: Workshop, s: Shape, turn: Quaternion, floor: boolean): BufferGeometry {
  const back = turn.clone().invert();
  const wide = s.at.body >= 0 ? 0.6 * w.size : 0.7 * w.travel.getSize(new Vector3()).length();
  const sheet = new Box2(new Vector2(-wide / 2, -wide / 2), new Vector2(wide / 2, wide / 2));
  if (floor && s.at.body < 0) {
    sheet.makeEmpty();
    const origin = new Vector3(...s.at.p);
    for (const { p, r } of w.extent.seen) {
      const { x, y } = p.clone().sub(origin).applyQuaternion(back);
      sheet.expandByPoint(new Vector2(x - r, y - r)).expandByPoint(new Vector2(x + r, y + r));
    }
    const size = sheet.getSize(new Vector2());
    sheet.expandByScalar(0.2 * Math.max(size.x, size.y, w.size));
  }
  const size = sheet.getSize(new Vector2());
  const { x, y } = sheet.getCenter(new Vector2());
  if (!w.model.planar) return new PlaneGeometry(size.x, size.y).translate(x, y, 0);
  const depth = new Vector3(0, 0, 1).applyQuaternion(back); // of the picture, in the axes of the shape
  const thick = 0.6 * w.unit;
  return Math.abs(depth.x) > Math.abs(depth.y)
    ? new BoxGeometry(flatness(w), size.y, thick).translate(0, y, -thick / 2)
    : new BoxGeometry(size.x, flatness(w), thick).translate(x, 0, -thick / 2);
}

// The thickness of what is flat, in planar models [m].
function flatness(w: Workshop): number {
  return w.model.planar ? 2.2 * w.unit : 0;
}

/** Returns them by their names. */
export function addShapes(w: Workshop): Map<string, Mesh> {
  const flat = flatness(w);
  const byName = new Map<string, Mesh>();
  for (const s of w.model.shapes) {
    const colour = colourOf(
      s.colour,
      s.at.body < 0 ? w.colour("ground") : palette[s.at.body % palette.length],
    );
    const item = w.bodyItem(s.at.body);
    if (s.type === "plane") {
      // what is not a floor is a wall, through which one must be able to look
      const turn = new Quaternion(s.at.q[1], s.at.q[2], s.at.q[3], s.at.q[0]);
      const normal = new Vector3(0, 0, 1).applyQuaternion(turn);
      const floor = w.model.planar || normal.dot(w.up) > 0.3;
      const opacity = floor ? (s.opacity ?? 1) : 0.08;
      const m = s.colour ? material(colour, opacity) : w.themedMaterial("road", opacity);
      m.side = DoubleSide;
      const mesh = w.attach(planeGeometry(w, s, turn, floor), m, s.at, item);
      if (floor && s.at.body < 0) mesh.userData.floor = () => planeGeometry(w, s, turn, floor);
      mesh.castShadow = false;
      mesh.receiveShadow = floor && !w.thinned;
      if (!floor) mesh.raycast = () => undefined;
      byName.set(s.name, mesh);
      continue;
    }
    const plain = parts.shapeGeometry(s, flat, w.thinned);
    const turns = s.type === "sphere" && s.at.body >= 0 && !w.thinned;
    const g = turns ? parts.twoTone(plain, flat > 0) : plain;
    const m = material(colour, s.opacity ?? 1);
    if (s.terrain) m.side = DoubleSide; // it has no walls, and may be seen from below
    const mesh = w.attach(g, m, s.at, item);
    if (s.terrain) mesh.castShadow = false;
    byName.set(s.name, mesh);
  }
  return byName;
}
