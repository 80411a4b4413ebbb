// The mechanism in three dimensions: what is drawn for bodies, joints and forces, and how it moves.
import {
  AmbientLight,
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  PlaneGeometry,
  Quaternion,
  Scene,
  SphereGeometry,
  TorusGeometry,
  Vector3,
  GridHelper,
  ShadowMaterial,
} from "three";
import { BeamMesh } from "./beams";
import { Data, Force, Joint, Place, Road, SceneData, valueAt, Cursor } from "./data";
import { Theme, colourOf, material, palette } from "./look";
import { Motion, between, worldPlace } from "./motion";
import * as parts from "./parts";

export type Kind = "body" | "joint" | "force" | "beam" | "road";
export interface Item {
  kind: Kind;
  index: number;
  name: string;
  type: string;
}

interface Connector {
  force: Force;
  index: number;
  objects: { object: Object3D; width: number; from: number; to: number }[];
}
interface Arrow {
  shaft: Mesh;
  head: Mesh;
  at: Place;
  channels: string[];
  double: boolean; // a moment: two heads
  second?: Mesh;
}

const THINNED = 300; // bodies beyond which hubs and shadows are left out

export class World {
  readonly scene = new Scene();
  readonly items: Item[] = [];
  readonly box = new Box3(); // of the mechanism at the start
  readonly travel = new Box3(); // of all rows
  readonly up = new Vector3(0, 0, 1);
  readonly unit: number; // size of hubs [m]
  readonly size: number; // of the mechanism [m]
  readonly thinned: boolean;
  readonly heaviest: number;
  readonly beams: BeamMesh[] = [];
  show = { forces: false, moments: false, trails: false, strain: false, frames: false };
  arrowScale = 1;
  private readonly bodies: Group[] = [];
  private readonly fixed = new Group();
  private readonly helpers = new Group();
  private readonly connectors: Connector[] = [];
  private readonly arrows: Arrow[] = [];
  private readonly axes: Group[] = [];
  private readonly contacts: { name: string; shapes: Mesh[] }[] = [];
  private readonly themed: { material: { color: Color }; key: keyof Theme }[] = [];
  private readonly trails = new Map<number, Line>();
  private readonly picked: { material: MeshStandardMaterial; before: number }[] = [];
  private grid: GridHelper | null = null;
  private readonly lights: { hemisphere: HemisphereLight; sun: DirectionalLight };
  private strainMost = 0;
  private forceMost = 0;
  private momentMost = 0;

  constructor(
    readonly data: Data,
    readonly model: SceneData,
    readonly motion: Motion,
    private theme: Theme,
  ) {
    const g = model.gravity;
    if (model.planar) this.up.set(0, 1, 0);
    else if (Math.hypot(g[0], g[1], g[2]) > 0) {
      const k = [0, 1, 2].reduce((a, b) => (Math.abs(g[b]) > Math.abs(g[a]) ? b : a));
      this.up.set(0, 0, 0).setComponent(k, g[k] > 0 ? -1 : 1);
    }
    this.thinned = model.bodies.length > THINNED;
    if (data.info.modes) motion.setMode(0, 0, 0);
    else motion.setTime(data.t[0]);
    this.measure();
    this.size = this.box.getSize(new Vector3()).length() || model.length || 1;
    this.unit = 0.013 * this.size;
    this.heaviest = model.bodies.reduce(
      (best, b, i) => (b.mass > (model.bodies[best]?.mass ?? -1) ? i : best),
      0,
    );
    this.lights = this.addLights();
    this.scene.add(this.fixed, this.helpers);
    this.addBodies();
    this.addJoints();
    this.addForces();
    this.addBeams();
    model.roads.forEach((r, i) => this.addRoad(r, i));
    this.addShapes();
    this.addFrames();
    this.addGround();
    this.measureLoads();
    this.setTheme(theme);
  }

  // ---- sizes ----------------------------------------------------------------------------------------------

  private measure(): void {
    const p = new Vector3();
    this.motion.poses.forEach((b) => this.box.expandByPoint(b.p));
    const see = (at?: Place) => {
      if (!at) return;
      worldPlace(this.motion.poses, at, p);
      this.box.expandByPoint(p);
    };
    for (const e of [...this.model.joints, ...this.model.forces]) {
      see(e.a);
      see(e.b);
      if ((e.type === "tyre" || e.type === "wheel") && e.b) {
        worldPlace(this.motion.poses, e.b, p);
        this.box
          .expandByPoint(p.clone().subScalar(e.radius ?? 0))
          .expandByPoint(p.clone().addScalar(e.radius ?? 0));
      }
    }
    for (const s of this.model.shapes) {
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
      worldPlace(this.motion.poses, s.at, p);
      let r = (s.radius ?? 0) + (s.tube ?? 0) + (s.length ?? 0) / 2;
      for (const x of s.vertices ?? []) r = Math.max(r, Math.abs(x));
      this.box.expandByPoint(p.clone().subScalar(r)).expandByPoint(p.clone().addScalar(r));
    }
    this.travel.copy(this.box);
    if (!this.data.info.modes) this.measureTravel();
    if (this.box.isEmpty()) this.box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  }

  // The box of all that joints, forces and bodies reach in the course of the run.
  private measureTravel(): void {
    const { t } = this.data;
    const places = [...this.model.joints, ...this.model.forces]
      .flatMap((e) => [e.a, e.b])
      .filter((a) => a && a.body >= 0) as Place[];
    const p = new Vector3();
    const rows = this.thinned ? 8 : 60;
    for (let i = 0; i < rows; i++) {
      this.motion.setTime(t[0] + ((t[t.length - 1] - t[0]) * i) / (rows - 1));
      for (const pose of this.motion.poses) this.travel.expandByPoint(pose.p);
      for (const at of places) {
        worldPlace(this.motion.poses, at, p);
        this.travel.expandByPoint(p);
      }
    }
    this.motion.setTime(t[0]);
  }

  private measureLoads(): void {
    const most = (names: string[]) => {
      const c = names.map((n) => this.data.byName.get(n));
      if (c.some((x) => !x)) return 0;
      let m = 0;
      for (let i = 0; i < this.data.t.length; i++) m = Math.max(m, Math.hypot(...c.map((x) => x!.values[i])));
      return Number.isFinite(m) ? m : 0;
    };
    for (const a of this.arrows)
      if (a.double) this.momentMost = Math.max(this.momentMost, most(a.channels));
      else this.forceMost = Math.max(this.forceMost, most(a.channels));
    const n = this.data.t.length;
    for (let i = 0; this.beams.length && i < n; i += Math.max(1, Math.floor(n / 40))) {
      if (this.data.info.modes) break;
      this.motion.setTime(this.data.t[i]);
      for (const b of this.beams) {
        b.update(this.motion.poses, 0);
        this.strainMost = Math.max(this.strainMost, b.largest());
      }
    }
  }

  get largestStrain(): number {
    return this.strainMost;
  }
  get largestForce(): number {
    return this.forceMost;
  }

  // ---- parts ----------------------------------------------------------------------------------------------

  private addLights() {
    const hemisphere = new HemisphereLight();
    hemisphere.position.copy(this.up);
    const sun = new DirectionalLight("#ffffff", 2);
    sun.castShadow = !this.thinned;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.bias = -0.0004;
    sun.shadow.normalBias = 0.3 * this.unit;
    this.scene.add(hemisphere, sun, sun.target, new AmbientLight("#ffffff", 0.15));
    return { hemisphere, sun };
  }

  private themedMaterial(key: keyof Theme, opacity = 1): MeshStandardMaterial {
    const m = material(this.theme[key] as string, opacity);
    this.themed.push({ material: m, key });
    return m;
  }

  private mesh(g: BufferGeometry, m: Material, item?: Item): Mesh {
    const mesh = new Mesh(g, m);
    mesh.castShadow = mesh.receiveShadow = !this.thinned;
    if (item) mesh.userData.item = item;
    return mesh;
  }

  private groupOf(body: number): Group {
    return body < 0 ? this.fixed : this.bodies[body];
  }

  private item(kind: Kind, index: number, name: string, type: string): Item {
    const item = { kind, index, name, type };
    this.items.push(item);
    return item;
  }

  // Bodies that have a shape, or are drawn with the beam or part they belong to, get no links.
  private addBodies(): void {
    const own = new Set(this.model.shapes.map((s) => s.at.body));
    const nodes = new Set([...this.model.beams, ...this.model.modal_bodies].flatMap((b) => b.nodes));
    const wheels = new Set(
      [
        ...this.model.forces.filter((f) => f.type === "tyre"),
        ...this.model.joints.filter((j) => j.type === "wheel"),
      ].map((f) => f.b?.body ?? -1),
    );
    this.model.bodies.forEach((b, i) => {
      const group = new Group();
      this.bodies.push(group);
      this.scene.add(group);
      if (nodes.has(i)) return;
      const item = this.item("body", i, b.name, b.point ? "point mass" : "body");
      if (own.has(i)) return;
      const colour = palette[i % palette.length];
      const g = this.drawBody(i, wheels.has(i));
      if (g.length) group.add(this.mesh(parts.merge(g), material(colour), item));
    });
    this.model.modal_bodies.forEach((m) => {
      if (m.nodes.length < 2) return;
      const reference = m.nodes[0];
      const at = (k: number) => {
        const p = this.motion.poses[k].p.clone().sub(this.motion.poses[reference].p);
        return p.applyQuaternion(this.motion.poses[reference].q.clone().invert());
      };
      const bars = m.nodes.slice(1).map((k) => parts.bar(at(reference), at(k), 0.8 * this.unit));
      const item = this.item("body", reference, this.model.bodies[reference].name, "modal body");
      this.bodies[reference].add(
        this.mesh(parts.merge(bars), material(palette[reference % palette.length]), item),
      );
      m.nodes.slice(1).forEach((k) => this.item("body", k, this.model.bodies[k].name, "node"));
    });
  }

  // The points of a body at which joints and forces act, in its axes; equal ones once.
  private pointsOf(body: number): Vector3[] {
    const list: Vector3[] = [];
    const see = (at?: Place) => {
      if (!at || at.body !== body) return;
      const p = new Vector3(at.p[0], at.p[1], at.p[2]);
      if (!list.some((q) => q.distanceTo(p) < 1e-4 * this.size)) list.push(p);
    };
    this.model.joints.forEach((j) => (see(j.a), see(j.b)));
    this.model.forces.filter((f) => f.type !== "tyre").forEach((f) => (see(f.a), see(f.b)));
    return list;
  }

  private drawBody(body: number, wheel: boolean): BufferGeometry[] {
    const u = this.unit;
    const points = this.pointsOf(body);
    const centre = new Vector3();
    if (this.model.bodies[body].point) return [new SphereGeometry(1.8 * u, 24, 16)];
    if (points.length === 0) return wheel ? [] : [new SphereGeometry(2.4 * u, 32, 20)];
    const far = points.filter((p) => p.length() > 1.5 * u);
    if (this.model.planar) {
      const all = points.length === 1 && far.length === 1 ? [...points, centre] : points;
      const z = ((body % 3) - 1) * 1.15 * u;
      const g = [parts.plate(all, 1.15 * u, u, z)];
      if (points.length === 1 && far.length === 1) g.push(parts.rod(2.0 * u, 1.3 * u).translate(0, 0, z));
      return g;
    }
    if (points.length === 1) {
      if (far.length === 0) return [new SphereGeometry(1.8 * u, 24, 16)];
      return [parts.bar(points[0], centre, 0.7 * u), new SphereGeometry(1.9 * u, 28, 18)];
    }
    if (points.length === 2) {
      const g = [parts.bar(points[0], points[1], 0.75 * u)];
      const d = new Vector3().subVectors(points[1], points[0]);
      const off = new Vector3().crossVectors(d, points[0]).length() / (d.length() || 1);
      if (off > 2.5 * u)
        g.push(
          parts.bar(points[0].clone().lerp(points[1], 0.5), centre, 0.6 * u),
          new SphereGeometry(1.6 * u, 24, 16),
        );
      return g;
    }
    if (points.length === 3) return [0, 1, 2].map((k) => parts.bar(points[k], points[(k + 1) % 3], 0.6 * u));
    const sheet = parts.plateInSpace(points, 1.2 * u, 1.4 * u);
    if (sheet) return [sheet];
    const hull = points.length >= 6 ? parts.block(points) : null;
    if (hull) return [hull];
    const middle = points.reduce((s, p) => s.add(p), new Vector3()).divideScalar(points.length);
    return points.map((p) => parts.bar(middle, p, 0.65 * u));
  }

  private addJoints(): void {
    this.model.joints.forEach((j, i) => {
      const item = this.item("joint", i, j.name, j.type);
      if (j.a && j.b) {
        this.drawJoint(j, item);
        this.addArrows(j);
      } else if (j.type === "gear") this.drawGears(j, item);
    });
  }

  private attach(g: BufferGeometry, m: Material, at: Place, item?: Item): Mesh {
    const mesh = this.mesh(g, m, item);
    mesh.position.fromArray(at.p);
    mesh.quaternion.set(at.q[1], at.q[2], at.q[3], at.q[0]);
    this.groupOf(at.body).add(mesh);
    return mesh;
  }

  private addFoot(at: Place, item: Item): void {
    const foot = this.mesh(parts.ground(1.3 * this.unit), this.themedMaterial("ground"), item);
    foot.position.fromArray(at.p);
    foot.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    this.fixed.add(foot);
  }

  // How far a coordinate of a joint goes.
  private rangeOf(name: string): [number, number] {
    const c = this.data.byName.get(name);
    if (!c) return [0, 0];
    return c.values.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [c.values[0], c.values[0]]);
  }

  private addRail(j: Joint, item: Item): void {
    const u = this.unit;
    const [low, high] = this.rangeOf(`${j.name}.distance`);
    const from = Math.min(low, 0) - 2.5 * u;
    const to = Math.max(high, 0) + 2.5 * u;
    const g = parts.rod(0.45 * u, to - from).translate(0, 0, (from + to) / 2);
    this.attach(g, this.themedMaterial("metal"), j.a!, item);
  }

  private drawJoint(j: Joint, item: Item): void {
    const u = this.unit;
    const a = j.a!;
    const b = j.b!;
    const metal = this.themedMaterial("metal");
    const dark = this.themedMaterial("dark");
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
    if (onGround && footed.includes(j.type) && !this.thinned) this.addFoot(onGround, item);
    const width = this.model.planar ? 4.6 * u : 3 * u;
    switch (j.type) {
      case "revolute":
        this.attach(
          parts.merge(
            this.thinned
              ? [parts.rod(0.8 * u, width, 10)]
              : [parts.hub(1.25 * u, 0.65 * u, 0.62 * width), parts.rod(0.6 * u, width)],
          ),
          dark,
          b,
          item,
        );
        break;
      case "cylindrical":
      case "screw":
        this.addRail(j, item);
        this.attach(parts.hub(1.2 * u, 0.55 * u, 3.2 * u), dark, b, item);
        break;
      case "prismatic":
        this.addRail(j, item);
        this.attach(new BoxGeometry(2.4 * u, 2.4 * u, 3.6 * u), dark, b, item);
        break;
      case "point_on_line":
        this.addRail(j, item);
        this.attach(new SphereGeometry(u, 20, 14), dark, b, item);
        break;
      case "spherical":
      case "constant_velocity":
        this.attach(
          new SphereGeometry(1.15 * u, this.thinned ? 8 : 24, this.thinned ? 6 : 16),
          dark,
          b,
          item,
        );
        break;
      case "universal":
        this.attach(
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
        this.attach(new BoxGeometry(1.6 * u, 1.6 * u, 1.6 * u), metal, b, item);
        break;
      case "planar":
      case "point_on_plane":
      case "knife_edge": {
        const sheet = new PlaneGeometry(14 * u, 14 * u);
        const m = this.themedMaterial("metal", 0.25);
        m.side = DoubleSide;
        if (a.body >= 0) this.attach(sheet, m, a, item).castShadow = false;
        this.attach(new SphereGeometry(0.9 * u, 20, 14), dark, b, item);
        break;
      }
      case "wheel":
        this.drawWheel(b, j.radius ?? u, new Vector3(0, 0, 1), this.bodyItem(b.body) ?? item, item);
        break;
      case "distance": {
        const rod = this.mesh(parts.rod(0.5, 1).translate(0, 0, 0.5), metal, item);
        this.scene.add(rod);
        this.connectors.push({
          force: { name: j.name, type: "rod", a, b },
          index: -1,
          objects: [{ object: rod, width: 0.9 * u, from: 0, to: 1 }],
        });
        [a, b].forEach((p) => this.attach(new SphereGeometry(0.8 * u, 16, 12), dark, p, item));
        break;
      }
      default:
        this.attach(new SphereGeometry(0.9 * u, 16, 12), dark, b, item);
    }
  }

  // Two toothed wheels on the axes of the coupled joints, if they turn about parallel axes.
  private drawGears(j: Joint, item: Item): void {
    const find = (text?: string) => this.model.joints.find((k) => text === `${k.name}.angle` && k.a && k.b);
    const first = find(j.first);
    const second = find(j.second);
    if (!first || !second || !j.ratio) return;
    const place = (k: Joint) => {
      const p = new Vector3();
      const q = new Quaternion();
      worldPlace(this.motion.poses, k.b!, p, q);
      return { p, z: new Vector3(0, 0, 1).applyQuaternion(q) };
    };
    const [a, b] = [place(first), place(second)];
    const distance = a.p.distanceTo(b.p);
    if (Math.abs(a.z.dot(b.z)) < 0.99 || distance < 2 * this.unit) return;
    // first = ratio second: radii are in the inverse ratio of the speeds
    const ratio = Math.abs(j.ratio);
    const r1 = distance / (1 + ratio);
    const metal = this.themedMaterial("metal");
    this.attach(parts.gear(r1, 0.9 * this.unit, 1.6 * this.unit), metal, first.b!, item);
    this.attach(parts.gear(distance - r1, 0.9 * this.unit, 1.6 * this.unit), metal, second.b!, item);
  }

  private bodyItem(body: number): Item | undefined {
    return this.items.find((k) => k.kind === "body" && k.index === body);
  }

  private drawWheel(at: Place, radius: number, axis: Vector3, item: Item, rimItem: Item): void {
    const width = 0.42 * radius;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis);
    const tyre = parts.merge([
      new TorusGeometry(radius - 0.36 * width, 0.36 * width, 16, 48),
      parts.hub(radius - 0.25 * width, 0.6 * radius, 0.8 * width),
    ]);
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
      [rim, this.themedMaterial("metal"), item],
    ] as [BufferGeometry, Material, Item][]) {
      const mesh = this.attach(g, m, { ...at, q: [1, 0, 0, 0] }, k);
      mesh.quaternion.copy(own).multiply(turn);
    }
  }

  private addForces(): void {
    const u = this.unit;
    this.model.forces.forEach((f, i) => {
      if (f.type === "beam" || f.type === "modal") return;
      const item = this.item("force", i, f.name, f.type);
      if (f.type === "spring" && f.a && f.b) this.addSpring(f, i, item);
      else if (f.type === "tyre" && f.b) {
        const road = this.model.roads.find((r) => r.name === f.road);
        const axis = new Vector3(0, 1, 0);
        if (road) axis.crossVectors(new Vector3(...road.up), new Vector3(...road.direction)).normalize();
        const body = this.motion.poses[f.b.body];
        if (body) axis.applyQuaternion(body.q.clone().invert());
        this.drawWheel(f.b, f.radius ?? u, axis, item, item);
      } else if (f.type === "bushing" && f.b) {
        this.attach(parts.hub(1.6 * u, 0.8 * u, 2 * u), material("#5b6470", 0.9), f.b, item);
      } else if (f.type === "torsion" && f.b) {
        this.attach(parts.spiral(2 * u, 0.18 * u), this.themedMaterial("dark"), f.b, item);
      }
    });
  }

  private addSpring(f: Force, index: number, item: Item): void {
    const u = this.unit;
    const length = Math.max(this.lengthOf(f), 4 * u);
    const width = Math.min(1.5 * u, 0.16 * length);
    const objects: Connector["objects"] = [];
    const add = (g: BufferGeometry, m: Material, w: number, from: number, to: number) => {
      const mesh = this.mesh(g, m, item);
      this.scene.add(mesh);
      objects.push({ object: mesh, width: w, from, to });
    };
    const tube = () => parts.rod(1, 1).translate(0, 0, 0.5);
    if (f.damper) {
      add(tube(), this.themedMaterial("dark"), 0.62 * width, 0, 0.55);
      add(tube(), this.themedMaterial("metal"), 0.3 * width, 0.3, 1);
    }
    if (f.spring || !f.damper) {
      const turns = Math.max(5, Math.min(14, Math.round(length / (0.9 * width))));
      add(parts.coil(turns, length / width, 0.17), material("#c8503c"), width, 0, 1);
    }
    this.connectors.push({ force: f, index, objects });
    for (const at of [f.a!, f.b!])
      if (at.body < 0 && !this.thinned)
        this.attach(new SphereGeometry(0.8 * u, 16, 12), this.themedMaterial("ground"), at, item);
  }

  private lengthOf(f: Force): number {
    const [p, q] = [new Vector3(), new Vector3()];
    worldPlace(this.motion.poses, f.a!, p);
    worldPlace(this.motion.poses, f.b!, q);
    return p.distanceTo(q);
  }

  private addBeams(): void {
    this.model.beams.forEach((b, i) => {
      if (b.nodes.length < 2) return;
      const item = this.item("beam", i, b.name, `beam, ${b.section} section`);
      const mesh = new BeamMesh(b, this.model, this.unit, palette[i % palette.length]);
      mesh.mesh.castShadow = mesh.mesh.receiveShadow = !this.thinned;
      mesh.mesh.userData.item = item;
      this.beams.push(mesh);
      this.scene.add(mesh.mesh);
    });
  }

  // A strip along the path of the model, as wide as it and half as much again on both sides.
  private addRoad(road: Road, index: number): void {
    const item = this.item("road", index, road.name, "road");
    const [o, d, up] = [road.origin, road.direction, road.up].map((x) => new Vector3(x[0], x[1], x[2]));
    const across = new Vector3().crossVectors(up, d);
    const range = (axis: Vector3) => {
      let [low, high] = [Infinity, -Infinity];
      for (let k = 0; k < 8; k++) {
        const corner = new Vector3(
          k & 1 ? this.travel.max.x : this.travel.min.x,
          k & 2 ? this.travel.max.y : this.travel.min.y,
          k & 4 ? this.travel.max.z : this.travel.min.z,
        );
        const s = corner.sub(o).dot(axis);
        [low, high] = [Math.min(low, s), Math.max(high, s)];
      }
      return [low, high];
    };
    const [from, to] = range(d);
    const [left, right] = range(across);
    const wide = this.model.planar ? 3 * this.unit : Math.max(0.35 * (right - left), 0.1 * this.size);
    const margin = this.size;
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
    const m = this.themedMaterial("road");
    m.side = DoubleSide;
    const mesh = this.mesh(flat, m, item);
    mesh.castShadow = false;
    this.fixed.add(mesh);
  }

  private addShapes(): void {
    const flat = this.model.planar ? 2.2 * this.unit : 0;
    const byName = new Map<string, Mesh>();
    for (const s of this.model.shapes) {
      const colour = colourOf(
        s.colour,
        s.at.body < 0 ? this.theme.ground : palette[s.at.body % palette.length],
      );
      const item = this.bodyItem(s.at.body);
      if (s.type === "plane") {
        // what is not a floor is a wall, through which one must be able to look
        const normal = new Vector3(0, 0, 1).applyQuaternion(
          new Quaternion(s.at.q[1], s.at.q[2], s.at.q[3], s.at.q[0]),
        );
        const floor = this.model.planar || normal.dot(this.up) > 0.3;
        const wide = (floor ? 1.3 : 0.7) * this.travel.getSize(new Vector3()).length();
        const opacity = floor ? (s.opacity ?? 1) : 0.08;
        const m = s.colour ? material(colour, opacity) : this.themedMaterial("road", opacity);
        m.side = DoubleSide;
        const g = this.model.planar
          ? new BoxGeometry(flat, wide, 0.6 * this.unit).translate(0, 0, -0.3 * this.unit)
          : new PlaneGeometry(wide, wide);
        const mesh = this.attach(g, m, s.at, item);
        mesh.castShadow = false;
        mesh.receiveShadow = floor && !this.thinned;
        if (!floor) mesh.raycast = () => undefined;
        byName.set(s.name, mesh);
        continue;
      }
      byName.set(
        s.name,
        this.attach(parts.shapeGeometry(s, flat), material(colour, s.opacity ?? 1), s.at, item),
      );
    }
    for (const f of this.model.forces)
      if (f.type === "contact") {
        const shapes = [f.first, f.second]
          .map((n) => byName.get(n ?? ""))
          .filter((m) => m && m.userData.item) as Mesh[];
        this.contacts.push({ name: f.name, shapes });
      }
  }

  private addFrames(): void {
    const add = (at: Place, size: number) => {
      const g = new Group();
      ["#d64545", "#3c9a50", "#3f6fd1"].forEach((c, k) => {
        const shaft = new Mesh(
          parts.rod(0.05 * size, size, 8).translate(0, 0, size / 2),
          new MeshBasicMaterial({ color: c }),
        );
        if (k === 0) shaft.rotation.y = Math.PI / 2;
        if (k === 1) shaft.rotation.x = -Math.PI / 2;
        g.add(shaft);
      });
      g.position.fromArray(at.p);
      g.quaternion.set(at.q[1], at.q[2], at.q[3], at.q[0]);
      g.visible = false;
      this.groupOf(at.body).add(g);
      this.axes.push(g);
    };
    if (this.thinned) return;
    add({ body: -1, p: [0, 0, 0], q: [1, 0, 0, 0] }, 7 * this.unit);
    this.model.bodies.forEach((_, i) => add({ body: i, p: [0, 0, 0], q: [1, 0, 0, 0] }, 4 * this.unit));
    this.model.frames.forEach((f) => add(f.at, 2.6 * this.unit));
  }

  private addGround(): void {
    const extent = this.travel.getSize(new Vector3());
    const wide = Math.max(extent.x, extent.y, extent.z, 0.4 * this.size);
    const cell = Math.pow(10, Math.round(Math.log10(wide / 10)));
    const count = 2 * Math.ceil((1.4 * wide) / (2 * cell));
    const grid = new GridHelper(count * cell, count);
    const centre = this.travel.getCenter(new Vector3());
    grid.position.set(
      Math.round(centre.x / cell) * cell,
      Math.round(centre.y / cell) * cell,
      Math.round(centre.z / cell) * cell,
    );
    if (this.model.planar) {
      grid.rotation.x = Math.PI / 2;
      grid.position.z = -4 * this.unit;
    } else {
      grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.up);
      const k = this.up.x ? 0 : this.up.y ? 1 : 2;
      const side = this.up.getComponent(k) > 0 ? this.travel.min : this.travel.max;
      const floor = side.getComponent(k) - this.up.getComponent(k) * 4 * this.unit;
      grid.position.setComponent(k, floor);
      const level =
        this.model.roads.length > 0 || this.model.shapes.some((s) => s.type === "plane" && s.at.body < 0);
      grid.visible = !level;
      if (!level && !this.thinned) {
        const sheet = new Mesh(
          new PlaneGeometry(count * cell, count * cell),
          new ShadowMaterial({ opacity: 0.16 }),
        );
        sheet.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
        sheet.position.copy(grid.position);
        sheet.receiveShadow = true;
        this.helpers.add(sheet);
      }
    }
    this.grid = grid;
    this.helpers.add(grid);
  }

  private addArrows(j: Joint): void {
    if (!this.data.byName.has(`${j.name}.fx`)) return;
    for (const [letter, key] of [
      ["f", "force"],
      ["m", "moment"],
    ] as [string, keyof Theme][]) {
      const m = new MeshStandardMaterial({ color: this.theme[key] as string, roughness: 0.6 });
      this.themed.push({ material: m, key });
      const make = (g: BufferGeometry) => {
        const mesh = new Mesh(g, m);
        mesh.visible = false;
        mesh.matrixAutoUpdate = false;
        this.scene.add(mesh);
        return mesh;
      };
      this.arrows.push({
        shaft: make(parts.arrowShaft()),
        head: make(parts.arrowHead()),
        second: letter === "m" ? make(parts.arrowHead()) : undefined,
        at: j.b!,
        channels: ["x", "y", "z"].map((k) => `${j.name}.${letter}${k}`),
        double: letter === "m",
      });
    }
  }

  // ---- motion ---------------------------------------------------------------------------------------------

  update(at: Cursor): void {
    this.motion.poses.forEach((p, i) => {
      this.bodies[i].position.copy(p.p);
      this.bodies[i].quaternion.copy(p.q);
    });
    const [a, b, from, to] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    const m = new Matrix4();
    for (const c of this.connectors) {
      worldPlace(this.motion.poses, c.force.a!, a);
      worldPlace(this.motion.poses, c.force.b!, b);
      for (const o of c.objects) {
        from.lerpVectors(a, b, o.from);
        to.lerpVectors(a, b, o.to);
        between(from, to, o.width, m).decompose(o.object.position, o.object.quaternion, o.object.scale);
      }
    }
    for (const beam of this.beams) beam.update(this.motion.poses, this.show.strain ? this.strainMost : 0);
    this.updateArrows(at);
    this.updateContacts(at);
    for (const [body, line] of this.trails) {
      line.visible = this.show.trails && !this.data.info.modes;
      line.geometry.setDrawRange(0, at.i + 1);
      void body;
    }
    for (const g of this.axes) g.visible = this.show.frames;
    const focus = this.box.getCenter(a);
    if (this.travelsFar && this.motion.poses[this.heaviest]) focus.copy(this.motion.poses[this.heaviest].p);
    this.aimSun(focus);
  }

  private updateArrows(at: Cursor): void {
    const [p, d] = [new Vector3(), new Vector3()];
    const q = new Quaternion();
    for (const a of this.arrows) {
      const shown = a.double ? this.show.moments : this.show.forces;
      const most = a.double ? this.momentMost : this.forceMost;
      a.channels.forEach((n, k) => {
        const c = this.data.byName.get(n);
        d.setComponent(k, c ? valueAt(c, at) : 0);
      });
      const length = most > 0 ? (0.28 * this.size * this.arrowScale * d.length()) / most : 0;
      const visible = shown && length > 0.3 * this.unit;
      [a.shaft, a.head, a.second].forEach((o) => o && (o.visible = visible));
      if (!visible) continue;
      worldPlace(this.motion.poses, a.at, p);
      d.normalize();
      q.setFromUnitVectors(new Vector3(0, 0, 1), d);
      const w = 0.42 * this.unit;
      const head = Math.min(3 * this.unit, 0.4 * length);
      a.shaft.matrix.compose(p, q, new Vector3(w, w, length - head));
      const tip = p.clone().addScaledVector(d, length);
      a.head.matrix.compose(tip, q, new Vector3(2.4 * w, 2.4 * w, head));
      a.second?.matrix.compose(tip.addScaledVector(d, -0.75 * head), q, new Vector3(2.4 * w, 2.4 * w, head));
    }
  }

  // Shapes glow while they touch.
  private updateContacts(at: Cursor): void {
    for (const c of this.contacts) {
      const force = this.data.byName.get(`${c.name}.force`);
      const touching = force ? valueAt(force, at) > 0 : false;
      for (const mesh of c.shapes) {
        const m = mesh.material as MeshStandardMaterial;
        if (!this.picked.some((k) => k.material === m)) m.emissive.set(touching ? "#7a2a12" : "#000000");
      }
    }
  }

  private aimSun(focus: Vector3): void {
    const { sun } = this.lights;
    const side = new Vector3(0.35, 0.55, 0.35).multiplyScalar(this.size);
    sun.target.position.copy(focus);
    sun.position.copy(focus).addScaledVector(this.up, 1.6 * this.size);
    if (this.model.planar) sun.position.add(new Vector3(-0.4 * this.size, 0, 1.6 * this.size));
    else if (this.up.z) sun.position.add(new Vector3(-side.x, -side.y, 0));
    else sun.position.add(new Vector3(-side.x, 0, side.z));
    const s = sun.shadow.camera;
    const reach = this.travelsFar ? 1.1 * this.size : 0.8 * this.travel.getSize(new Vector3()).length();
    [s.left, s.right, s.top, s.bottom] = [-reach, reach, reach, -reach];
    [s.near, s.far] = [0.01 * this.size, 6 * Math.max(this.size, reach)];
    s.updateProjectionMatrix();
  }

  /** The mechanism leaves the place where it begins: the camera should follow it. */
  get travelsFar(): boolean {
    const held = this.model.joints.some(
      (j) => j.a && j.b && Math.min(j.a.body, j.b.body) < 0 && j.type !== "wheel" && j.type !== "knife_edge",
    );
    return !held && this.travel.getSize(new Vector3()).length() > 2.2 * this.size && !this.data.info.modes;
  }

  setTrail(body: number, on: boolean): void {
    const old = this.trails.get(body);
    if (old) {
      this.scene.remove(old);
      old.geometry.dispose();
      this.trails.delete(body);
    }
    if (!on) return;
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(this.motion.path(body), 3));
    const m = new LineBasicMaterial({ color: this.theme.trail });
    this.themed.push({ material: m, key: "trail" });
    const line = new Line(g, m);
    line.frustumCulled = false;
    this.trails.set(body, line);
    this.scene.add(line);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.scene.background = new Color(theme.background);
    for (const t of this.themed) t.material.color.set(theme[t.key] as string);
    const [sky, earth, strength] = theme.hemisphere;
    this.lights.hemisphere.color.set(sky);
    this.lights.hemisphere.groundColor.set(earth);
    this.lights.hemisphere.intensity = strength;
    this.lights.sun.intensity = theme.sun;
    const grid = this.grid;
    if (!grid) return;
    const n = grid.geometry.getAttribute("position").count;
    const colours = new Float32Array(3 * n);
    const [weak, strong] = [new Color(theme.grid), new Color(theme.gridStrong)];
    for (let i = 0; i < n; i++) (Math.floor(i / 4) % 10 === 0 ? strong : weak).toArray(colours, 3 * i);
    grid.geometry.setAttribute("color", new BufferAttribute(colours, 3));
  }

  /** Make what belongs to an item glow. */
  highlight(item: Item | null): void {
    for (const p of this.picked) p.material.emissive.setHex(p.before);
    this.picked.length = 0;
    if (!item) return;
    this.scene.traverse((o) => {
      if (!(o instanceof Mesh) || o.userData.item !== item) return;
      const m = o.material as MeshStandardMaterial;
      if (!m.emissive) return;
      this.picked.push({ material: m, before: m.emissive.getHex() });
      m.emissive.set("#8a5a00");
    });
  }

  /** Where an item is now. */
  placeOf(item: Item): Vector3 {
    const p = new Vector3();
    if (item.kind === "body") return p.copy(this.motion.poses[item.index].p);
    if (item.kind === "beam") {
      const nodes = this.model.beams[item.index].nodes;
      return p.copy(this.motion.poses[nodes[nodes.length >> 1]].p);
    }
    const at =
      item.kind === "joint"
        ? this.model.joints[item.index].b
        : item.kind === "force"
          ? this.model.forces[item.index].b
          : undefined;
    if (at) worldPlace(this.motion.poses, at, p);
    return p;
  }
}
