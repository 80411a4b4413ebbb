// Forces: springs, dampers, tyres, bushings.
import { BufferGeometry, Material, Quaternion, SphereGeometry, Vector3 } from "three";
import { Force } from "./data";
import { Item } from "./items";
import { material } from "./look";
import { worldPlace } from "./motion";
import { drawWheel } from "./wheel";
import { Connector, Workshop } from "./workshop";
import * as parts from "./parts";

export function addForces(w: Workshop): void {
  const u = w.unit;
  w.model.forces.forEach((f, i) => {
    if (f.type === "beam" || f.type === "modal") return;
    const item = w.item("force", i, f.name, f.type);
    if (f.type === "spring" && f.a && f.b) addSpring(w, f, item);
    else if (f.type === "tyre" && f.b) {
      const road = w.model.roads.find((r) => r.name === f.road);
      const axis = new Vector3(0, 1, 0);
      if (road) axis.crossVectors(new Vector3(...road.up), new Vector3(...road.direction)).normalize();
      const body = w.motion.poses[f.b.body];
      if (body) axis.applyQuaternion(body.q.clone().invert());
      drawWheel(w, f.b, f.radius ?? u, axis, item, item);
    } else if (f.type === "slip_tyre" && f.b && f.axis) {
      const q = f.b.q;
      const axis = new Vector3(...f.axis).applyQuaternion(new Quaternion(q[1], q[2], q[3], q[0]));
      drawWheel(w, f.b, f.radius ?? u, axis.normalize(), item, item);
    } else if (f.type === "bushing" && f.b) {
      w.attach(parts.hub(1.6 * u, 0.8 * u, 2 * u), material("#5b6470", 0.9), f.b, item);
    } else if (f.type === "torsion" && f.b) {
      w.attach(parts.spiral(2 * u, 0.18 * u), w.themedMaterial("dark"), f.b, item);
    }
  });
}

function addSpring(w: Workshop, f: Force, item: Item): void {
  const u = w.unit;
  const length = Math.max(lengthOf(w, f), 4 * u);
  const width = Math.min(1.5 * u, 0.16 * length);
  const objects: Connector["objects"] = [];
  const add = (g: BufferGeometry, m: Material, thick: number, from: number, to: number) => {
    const mesh = w.mesh(g, m, item);
    w.scene.add(mesh);
    objects.push({ object: mesh, width: thick, from, to });
  };
  const tube = () => parts.rod(1, 1).translate(0, 0, 0.5);
  if (f.damper) {
    add(tube(), w.themedMaterial("dark"), 0.62 * width, 0, 0.55);
    add(tube(), w.themedMaterial("metal"), 0.3 * width, 0.3, 1);
  }
  if (f.spring || !f.damper) {
    const turns = Math.max(5, Math.min(14, Math.round(length / (0.9 * width))));
    add(parts.coil(turns, length / width, 0.17), material("#c8503c"), width, 0, 1);
  }
  w.connectors.push({ a: f.a!, b: f.b!, objects });
  for (const at of [f.a!, f.b!])
    if (at.body < 0 && !w.thinned)
      w.attach(new SphereGeometry(0.8 * u, 16, 12), w.themedMaterial("ground"), at, item);
}

function lengthOf(w: Workshop, f: Force): number {
  const [p, q] = [new Vector3(), new Vector3()];
  worldPlace(w.motion.poses, f.a!, p);
  worldPlace(w.motion.poses, f.b!, q);
  return p.distanceTo(q);
}
