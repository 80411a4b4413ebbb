// What is around the mechanism: light, ground, roads, axes.
import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  GridHelper,
  Group,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Quaternion,
  ShadowMaterial,
  Vector3,
} from "three";
import { Place, Road } from "./data";
import { Item } from "./items";
import { Theme } from "./look";
import { addNumbers, addRoadMarks } from "./scale";
import { FRONT, Workshop } from "./workshop";
import * as parts from "./parts";

/** Sky and sun; the sun goes with what is looked at. */
export class Light {
  private readonly hemisphere = new HemisphereLight();
  private readonly sun = new DirectionalLight("#ffffff", 2);

  constructor(private readonly w: Workshop) {
    const { hemisphere, sun } = this;
    hemisphere.position.copy(w.up);
    sun.castShadow = !w.thinned;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.bias = -0.0004;
    sun.shadow.normalBias = 0.3 * w.unit;
    const all = new AmbientLight("#ffffff", 0.15);
    for (const light of [hemisphere, sun, all]) light.layers.enable(FRONT);
    w.scene.add(hemisphere, sun, sun.target, all);
  }

  setTheme(theme: Theme): void {
    const [sky, earth, strength] = theme.hemisphere;
    this.hemisphere.color.set(sky);
    this.hemisphere.groundColor.set(earth);
    this.hemisphere.intensity = strength;
    this.sun.intensity = theme.sun;
  }

  /** followed: shadows about the mechanism, else over all of its way. */
  aim(focus: Vector3, followed: boolean): void {
    const { sun } = this;
    const reach = followed ? 1.1 * this.w.size : 0.8 * this.w.travel.getSize(new Vector3()).length();
    const far = Math.max(this.w.size, reach);
    const side = new Vector3(0.35, 0.55, 0.35).multiplyScalar(far);
    sun.target.position.copy(focus);
    sun.position.copy(focus).addScaledVector(this.w.up, 1.6 * far);
    if (this.w.model.planar) sun.position.add(new Vector3(-0.4 * far, 0, 1.6 * far));
    else if (this.w.up.z) sun.position.add(new Vector3(-side.x, -side.y, 0));
    else sun.position.add(new Vector3(-side.x, 0, side.z));
    const s = sun.shadow.camera;
    [s.left, s.right, s.top, s.bottom] = [-reach, reach, reach, -reach];
    [s.near, s.far] = [0.01 * this.w.size, 6 * far];
    s.updateProjectionMatrix();
  }
}

// Along `up` [m]: of the level plane on which something rolls or slides, if nothing is below it; else
// somewhat below the lowest point of the way.
function groundHeight(w: Workshop): number {
  const lowest = Math.min(w.travel.min.dot(w.up), w.travel.max.dot(w.up));
  const heights = w.model.joints
    .filter((j) => ["wheel", "planar", "point_on_plane"].includes(j.type) && j.a && j.a.body < 0)
    .filter(({ a }) => {
      const turn = new Quaternion(a!.q[1], a!.q[2], a!.q[3], a!.q[0]);
      return Math.abs(new Vector3(0, 0, 1).applyQuaternion(turn).dot(w.up)) > 0.999;
    })
    .map(({ a }) => new Vector3(...a!.p).dot(w.up))
    .filter((height) => height < lowest + 0.1 * w.size);
  return heights.length ? Math.min(...heights) : lowest - 4 * w.unit;
}

export function addGround(w: Workshop): GridHelper {
  const extent = w.travel.getSize(new Vector3());
  const wide = Math.max(extent.x, extent.y, extent.z, 0.4 * w.size);
  const cell = Math.pow(10, Math.round(Math.log10(wide / 10)));
  const count = 2 * Math.ceil(((w.model.planar ? 4 : 1.4) * wide) / (2 * cell));
  const grid = new GridHelper(count * cell, count);
  grid.userData.cell = cell;
  const centre = w.travel.getCenter(new Vector3());
  grid.position.set(
    Math.round(centre.x / cell) * cell,
    Math.round(centre.y / cell) * cell,
    Math.round(centre.z / cell) * cell,
  );
  if (w.model.planar) {
    grid.rotation.x = Math.PI / 2;
    grid.position.z = -4 * w.unit;
  } else {
    grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), w.up);
    const k = w.up.x ? 0 : w.up.y ? 1 : 2;
    grid.position.setComponent(k, w.up.getComponent(k) * groundHeight(w));
    const level =
      w.model.roads.length > 0 ||
      w.model.shapes.some((s) => (s.type === "plane" || s.terrain) && s.at.body < 0);
    grid.visible = !level;
    if (!level && !w.thinned) {
      const sheet = new Mesh(
        new PlaneGeometry(count * cell, count * cell),
        new ShadowMaterial({ opacity: 0.16 }),
      );
      sheet.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), w.up);
      sheet.position.copy(grid.position);
      sheet.receiveShadow = true;
      w.helpers.add(sheet);
    }
  }
  w.helpers.add(grid);
  addNumbers(w, grid);
  return grid;
}

/** Every tenth line is strong, from the origin on. */
export function colourGrid(grid: GridHelper, theme: Theme): void {
  const p = grid.geometry.getAttribute("position");
  const colours = new Float32Array(3 * p.count);
  const [weak, strong] = [new Color(theme.grid), new Color(theme.gridStrong)];
  const cell = grid.userData.cell as number;
  // pairs of vertices: a line across z, then one across x, in the axes of the grid
  const axes = [new Vector3(0, 0, 1), new Vector3(1, 0, 0)].map((a) => a.applyQuaternion(grid.quaternion));
  for (let i = 0; i < p.count; i++) {
    const across = (i >> 1) % 2;
    const place = (across ? p.getX(i) : p.getZ(i)) + grid.position.dot(axes[across]);
    (Math.round(place / cell) % 10 === 0 ? strong : weak).toArray(colours, 3 * i);
  }
  grid.geometry.setAttribute("color", new BufferAttribute(colours, 3));
}

// A strip along the path of the model, as wide as it and half as much again on both sides.
export function drawRoad(w: Workshop, road: Road, item: Item): Mesh {
  const [o, d, up] = [road.origin, road.direction, road.up].map((x) => new Vector3(x[0], x[1], x[2]));
  const across = new Vector3().crossVectors(up, d);
  const range = (axis: Vector3) => {
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(
        k & 1 ? w.travel.max.x : w.travel.min.x,
        k & 2 ? w.travel.max.y : w.travel.min.y,
        k & 4 ? w.travel.max.z : w.travel.min.z,
      );
      const s = corner.sub(o).dot(axis);
      [low, high] = [Math.min(low, s), Math.max(high, s)];
    }
    return [low, high];
  };
  const [from, to] = range(d);
  const [left, right] = range(across);
  const wide = w.model.planar ? 3 * w.unit : Math.max(0.35 * (right - left), 0.1 * w.size);
  const margin = w.size;
  const s: [number, number][] = [[from - margin, 0]];
  for (let k = 0; k + 1 < road.profile.length; k += 2) s.push([road.profile[k], road.profile[k + 1]]);
  const last = s[s.length - 1];
  s[0][1] = s.length > 1 ? s[1][1] : 0;
  s.push([Math.max(to, last[0]) + margin, last[1]]);
  s.sort((a, b) => a[0] - b[0]);
  const position: number[] = [];
  const index_: number[] = [];
  s.forEach(([x, z], k) => {
    for (const y of [left - wide, right + wide]) {
      const p = o.clone().addScaledVector(d, x).addScaledVector(up, z).addScaledVector(across, y);
      position.push(p.x, p.y, p.z);
    }
    if (k > 0) index_.push(2 * k - 2, 2 * k, 2 * k - 1, 2 * k - 1, 2 * k, 2 * k + 1);
  });
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
  g.setIndex(index_);
  const flat = g.toNonIndexed();
  flat.computeVertexNormals();
  const m = w.themedMaterial("road");
  m.side = DoubleSide;
  const mesh = w.mesh(flat, m, item);
  mesh.castShadow = false;
  const above = 2e-3 * w.size; // not inside the surface
  const heightAt = (x: number) => {
    const k = Math.max(1, s.findIndex(([end]) => end >= x));
    const [[a, low], [b, high]] = [s[k - 1], s[k]];
    return b > a ? low + ((high - low) * (x - a)) / (b - a) : high;
  };
  const at = (x: number) => o.clone().addScaledVector(d, x).addScaledVector(up, heightAt(x) + above);
  const sides = [left - wide, right + wide].map((y) => across.clone().multiplyScalar(y));
  if (!w.model.planar)
    mesh.add(addRoadMarks(w, s[0][0], s[s.length - 1][0], at, sides as [Vector3, Vector3]));
  w.fixed.add(mesh);
  return mesh;
}

export function addFrames(w: Workshop): void {
  const add = (at: Place, size: number) => {
    const g = new Group();
    ["#d64545", "#3c9a50", "#3f6fd1"].forEach((c, k) => {
      const shaft = new Mesh(
        parts.rod(0.05 * size, size, 8).translate(0, 0, size / 2),
        new MeshBasicMaterial({ color: c }),
      );
      shaft.layers.set(FRONT);
      if (k === 0) shaft.rotation.y = Math.PI / 2;
      if (k === 1) shaft.rotation.x = -Math.PI / 2;
      g.add(shaft);
    });
    g.position.fromArray(at.p);
    g.quaternion.set(at.q[1], at.q[2], at.q[3], at.q[0]);
    g.visible = false;
    w.groupOf(at.body).add(g);
    w.axes.push(g);
  };
  if (w.thinned) return;
  add({ body: -1, p: [0, 0, 0], q: [1, 0, 0, 0] }, 7 * w.unit);
  w.model.bodies.forEach((_, i) => add({ body: i, p: [0, 0, 0], q: [1, 0, 0, 0] }, 4 * w.unit));
  w.model.frames.forEach((f) => add(f.at, 2.6 * w.unit));
}
