// Pairs of toothed wheels, on the axes of the joints that a gear couples.
import { Quaternion, Vector3 } from "three";
import { Joint, Place, SceneData } from "./data";
import { Pose, worldPlace } from "./motion";

export interface GearWheel {
  at: Place;
  radius: number; // of its pitch circle [m]
}

/** The two wheels, of radii in the inverse ratio of the speeds; null: the axes are not parallel. */
export function gearWheels(model: SceneData, poses: Pose[], gear: Joint): [GearWheel, GearWheel] | null {
  const find = (text?: string) => model.joints.find((k) => text === `${k.name}.angle` && k.a && k.b);
  const [first, second] = [find(gear.first), find(gear.second)];
  if (!first || !second || !gear.ratio) return null;
  const place = (k: Joint) => {
    const [p, q] = [new Vector3(), new Quaternion()];
    worldPlace(poses, k.b!, p, q);
    return { p, z: new Vector3(0, 0, 1).applyQuaternion(q) };
  };
  const [a, b] = [place(first), place(second)];
  if (Math.abs(a.z.dot(b.z)) < 0.99) return null;
  const distance = a.p.distanceTo(b.p);
  const radius = distance / (1 + Math.abs(gear.ratio)); // first = ratio second
  return [
    { at: first.b!, radius },
    { at: second.b!, radius: distance - radius },
  ];
}
