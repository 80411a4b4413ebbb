// Lengths in the picture: numbers at the lines of the grid, marks across roads, which also show how fast
// something goes.
import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  GridHelper,
  LineBasicMaterial,
  LinearFilter,
  LineSegments,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";
import { format } from "./data";
import { Workshop } from "./workshop";

const MOST = 6; // numbers along an axis
const HEIGHT = 0.04; // of a number, over the size of all that is seen
const PIXELS = 32; // height of its picture
const ROAD_MARKS = 400; // of a road, at most

function label(w: Workshop, text: string, height: number): Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = `${0.8 * PIXELS}px system-ui, sans-serif`;
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 4;
  canvas.height = PIXELS;
  context.font = font; // a new size has cleared it
  context.fillStyle = "#ffffff";
  context.textBaseline = "middle";
  context.fillText(text, 2, PIXELS / 2);
  const map = new CanvasTexture(canvas);
  map.generateMipmaps = false; // they are too soft to be read
  map.minFilter = LinearFilter;
  const m = new SpriteMaterial({ map, depthWrite: false });
  m.color.set(w.colour("dark"));
  w.follow(m, "dark");
  const sprite = new Sprite(m);
  sprite.scale.set((height * canvas.width) / PIXELS, height, 1);
  sprite.userData.label = text;
  return sprite;
}

/** Numbers [m] along two edges of the part of the grid where the mechanism is. */
export function addNumbers(w: Workshop, grid: GridHelper): void {
  const cell = grid.userData.cell as number;
  const up = w.model.planar ? 2 : w.up.x ? 0 : w.up.y ? 1 : 2;
  const axes = [0, 1, 2].filter((k) => k !== up);
  const { min, max } = w.travel;
  const span = Math.max(...axes.map((k) => max.getComponent(k) - min.getComponent(k)), cell);
  const step = cell * [1, 2, 5, 10, 20, 50, 100].find((n) => span / (n * cell) <= MOST)!;
  const height = HEIGHT * w.travel.getSize(new Vector3()).length();
  if (!(height > 0) || !(step > 0)) return;
  for (const along of axes) {
    const other = axes[0] === along ? axes[1] : axes[0];
    const first = Math.ceil(min.getComponent(along) / step) * step;
    const last = max.getComponent(along);
    for (let x = first; x <= last; x += step) {
      const value = x + w.motion.origin.getComponent(along);
      const near = Math.abs(value) < 1e-6 * step ? 0 : Number(value.toPrecision(9));
      const sprite = label(w, `${format(near)}${x + step > last ? " m" : ""}`, height);
      sprite.position.copy(grid.position);
      sprite.position.setComponent(along, x);
      sprite.position.setComponent(other, min.getComponent(other));
      if (!w.model.planar) sprite.position.addScaledVector(w.up, 0.55 * height); // it stands on the ground
      sprite.visible = grid.visible;
      w.helpers.add(sprite);
    }
  }
}

/** Lines across a road at whole multiples of a length. at: its middle at a distance along it [m]. */
export function addRoadMarks(
  w: Workshop,
  from: number,
  to: number,
  at: (s: number) => Vector3,
  across: [Vector3, Vector3],
): LineSegments {
  let length = Math.pow(10, Math.floor(Math.log10(0.5 * w.size)));
  while ((to - from) / length > ROAD_MARKS) length *= 10;
  const position: number[] = [];
  for (let k = Math.ceil(from / length); k * length <= to; k++)
    for (const side of across) position.push(...at(k * length).add(side).toArray());
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
  const m = new LineBasicMaterial({ color: w.colour("ground") });
  w.follow(m, "ground");
  return new LineSegments(g, m);
}
