// Wheels with tyres.
import { BoxGeometry, BufferGeometry, Material, Quaternion, Vector3 } from "three";
import { Place } from "./data";
import { Item } from "./items";
import { material } from "./look";
import { Workshop } from "./workshop";
import * as parts from "./parts";

export function drawWheel(
  w: Workshop,
  at: Place,
  radius: number,
  axis: Vector3,
  item: Item,
  rimItem: Item,
  share = 0.42, // width over radius
): void {
  const width = share * radius;
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis);
  const tyre = parts.tyre(radius, 0.6 * radius, width);
  const rim = parts.merge([
    parts.hub(0.62 * radius, 0.52 * radius, 0.6 * width),
    parts.rod(0.16 * radius, 0.75 * width),
    ...[0, 1, 2, 3, 4].map((k) =>
      new BoxGeometry(0.55 * radius, 0.1 * radius, 0.3 * width)
        .translate(0.3 * radius, 0, 0)
        .rotateZ((2 * Math.PI * k) / 5),
    ),
  ]);
  // axis is in the axes of the place of a joint, and in those of the body of a tyre
  const own = item === rimItem ? new Quaternion() : new Quaternion(at.q[1], at.q[2], at.q[3], at.q[0]);
  for (const [g, m, k] of [
    [tyre, material("#33373d"), rimItem],
    [rim, w.themedMaterial("metal"), item],
  ] as [BufferGeometry, Material, Item][]) {
    const mesh = w.attach(g, m, { ...at, q: [1, 0, 0, 0] }, k);
    mesh.quaternion.copy(own).multiply(turn);
  }
}
