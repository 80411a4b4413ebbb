// The shapes of bodies, of display and of contact.
import { BoxGeometry, DoubleSide, Mesh, PlaneGeometry, Quaternion, Vector3 } from "three";
import { colourOf, material, palette } from "./look";
import { Workshop } from "./workshop";
import * as parts from "./parts";

/** Returns them by their names. */
export function addShapes(w: Workshop): Map<string, Mesh> {
  const flat = w.model.planar ? 2.2 * w.unit : 0;
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
      const wide =
        s.at.body >= 0 ? 0.6 * w.size : (floor ? 1.3 : 0.7) * w.travel.getSize(new Vector3()).length();
      const opacity = floor ? (s.opacity ?? 1) : 0.08;
      const m = s.colour ? material(colour, opacity) : w.themedMaterial("road", opacity);
      m.side = DoubleSide;
      const depth = new Vector3(0, 0, 1).applyQuaternion(turn.clone().invert()); // in axes of the shape
      const sides = Math.abs(depth.x) > Math.abs(depth.y) ? [flat, wide] : [wide, flat];
      const g = w.model.planar
        ? new BoxGeometry(sides[0], sides[1], 0.6 * w.unit).translate(0, 0, -0.3 * w.unit)
        : new PlaneGeometry(wide, wide);
      const mesh = w.attach(g, m, s.at, item);
      mesh.castShadow = false;
      mesh.receiveShadow = floor && !w.thinned;
      if (!floor) mesh.raycast = () => undefined;
      byName.set(s.name, mesh);
      continue;
    }
    const plain = parts.shapeGeometry(s, flat, w.thinned);
    const turns = s.type === "sphere" && s.at.body >= 0 && !w.thinned;
    const g = turns ? parts.twoTone(plain, flat > 0) : plain;
    byName.set(s.name, w.attach(g, material(colour, s.opacity ?? 1), s.at, item));
  }
  return byName;
}
