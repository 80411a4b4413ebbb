// The mechanism in three dimensions: puts together what is drawn and lets it move.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Group,
  GridHelper,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Scene,
  Vector3,
} from "three";
import { Arrows } from "./arrows";
import { Batch } from "./batch";
import { BeamMesh } from "./beams";
import { addBodies } from "./bodies";
import { Contacts } from "./contacts";
import { Cursor, Data, SceneData } from "./data";
import { Ball, measureExtent } from "./extent";
import { addForces } from "./forces";
import { Item } from "./items";
import { addJoints } from "./joints";
import { Theme, palette } from "./look";
import { Motion, between, worldPlace } from "./motion";
import { freePlaces } from "./points";
import { addShapes } from "./shapes";
import { Light, addFrames, addGround, colourGrid, drawRoad } from "./surroundings";
import { Workshop } from "./workshop";

const GHOST = 0.35; // opacity of a mechanism beside another
const DOT = 60; // sizes of the mechanism in its way, beyond which it is a dot beside it
const THINNED = 300; // bodies beyond which hubs and shadows are left out

export class World {
  readonly beams: BeamMesh[] = [];
  readonly arrows: Arrows;
  readonly thinned: boolean;
  readonly heaviest: number;
  /** A camera goes along with the mechanism: sharp shadows are wanted about it, not over all of its way. */
  followed = false;
  show = { forces: false, moments: false, contacts: false, trails: false, strain: false, frames: false };
  private readonly w: Workshop;
  private readonly contacts: Contacts;
  private readonly batch: Batch | null;
  private roads: Mesh[];
  private readonly trails: { body: number; point: number[]; line: Line }[] = [];
  private readonly picked: { material: MeshStandardMaterial; before: number }[] = [];
  private readonly grid: GridHelper;
  private readonly light: Light;
  private strainMost = 0;

  constructor(
    readonly data: Data,
    readonly model: SceneData,
    readonly motion: Motion,
    theme: Theme,
  ) {
    this.thinned = model.bodies.length > THINNED;
    const most = model.bodies.reduce(
      (best, b, i) => (b.mass > (model.bodies[best]?.mass ?? -1) ? i : best),
      0,
    );
    const beam = model.beams.find((b) => b.nodes.includes(most));
    this.heaviest = beam ? beam.nodes[beam.nodes.length >> 1] : most;
    const extent = measureExtent(data, model, motion, this.thinned, this.heaviest);
    const w = (this.w = new Workshop(data, model, motion, extent, this.thinned, theme));
    this.light = new Light(w);
    this.arrows = new Arrows(w);
    addBodies(w);
    addJoints(w, this.arrows);
    addForces(w);
    for (const f of model.forces) this.arrows.addContacts(f.name);
    this.addBeams();
    this.roads = model.roads.map((r, i) => drawRoad(w, r, w.item("road", i, r.name, "road")));
    this.contacts = new Contacts(data, model, addShapes(w));
    addFrames(w);
    this.batch = this.thinned ? new Batch(w) : null;
    this.grid = addGround(w);
    this.arrows.measure(data);
    this.measureStrain();
    this.setTheme(theme);
  }

  get scene(): Scene {
    return this.w.scene;
  }
  get items(): Item[] {
    return this.w.items;
  }
  get up(): Vector3 {
    return this.w.up;
  }
  get unit(): number {
    return this.w.unit;
  }
  get size(): number {
    return this.w.size;
  }
  /** The middle of the grid, for tests. */
  get ground(): Vector3 {
    return this.grid.position;
  }
  /** Of the mechanism at the start. */
  get box(): Box3 {
    return this.w.extent.box;
  }
  /** Of all rows. */
  get travel(): Box3 {
    return this.w.extent.travel;
  }
  /** What a camera should show: of all rows, or relative to the heaviest body if it goes along. */
  get seen(): Ball[] {
    if (!this.followed) return this.w.extent.seen;
    const at = this.motion.poses[this.heaviest].p;
    return this.w.extent.seenFrom.map(({ p, r }) => ({ p: p.clone().add(at), r }));
  }
  get largestStrain(): number {
    return this.strainMost;
  }

  /** What moves, transparent and without shadows, for the scene of another world. */
  asGhost(): Group {
    const group = new Group();
    group.userData.ghost = true;
    const { fixed, helpers } = this.w;
    group.add(...this.scene.children.filter((o) => o !== fixed && o !== helpers && !("isLight" in o)));
    const seen = new Set<unknown>();
    group.traverse((o) => {
      if (!(o instanceof Mesh)) return;
      o.castShadow = o.receiveShadow = false;
      const m = o.material as MeshStandardMaterial;
      if (seen.has(m)) return;
      seen.add(m);
      m.transparent = true;
      m.opacity *= GHOST;
      m.depthWrite = false;
    });
    return group;
  }

  /** Show the ghost of another world, and all of its way. */
  addBeside(other: World, ghost: Group): void {
    this.scene.add(ghost);
    const { seen, seenFrom } = this.w.extent;
    for (const { p, r } of other.w.extent.seen) seen.push({ p: p.clone().add(ghost.position), r });
    seenFrom.push(...other.w.extent.seenFrom);
  }

  /** Nothing is drawn of it any more. */
  dispose(): void {
    this.scene.traverse((o) => o instanceof Mesh && o.geometry.dispose());
  }

  /** There are new rows. Roads and floors go on if the mechanism does. */
  refresh(): void {
    const before = this.travel.clone();
    this.motion.setTime(this.data.t[this.data.t.length - 1]);
    const { seen, seenFrom } = this.w.extent;
    const origin = this.motion.poses[this.heaviest]?.p ?? new Vector3();
    for (const { p } of this.motion.poses) {
      this.travel.expandByPoint(p);
      seen.push({ p: p.clone(), r: 2 * this.unit });
      seenFrom.push({ p: p.clone().sub(origin), r: 2 * this.unit });
    }
    if (!before.containsBox(this.travel)) {
      this.scene.traverse((o) => {
        const draw = o.userData.floor as (() => BufferGeometry) | undefined;
        if (!(o instanceof Mesh) || !draw) return;
        o.geometry.dispose();
        o.geometry = draw();
      });
      this.roads = this.roads.map((old, i) => {
        old.removeFromParent();
        old.geometry.dispose();
        return drawRoad(this.w, this.model.roads[i], old.userData.item);
      });
    }
    this.arrows.measure(this.data);
    for (const { body, point, line } of this.trails)
      line.geometry.setAttribute("position", new BufferAttribute(this.motion.path(body, point), 3));
  }

  private measureStrain(): void {
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

  private addBeams(): void {
    this.model.beams.forEach((b, i) => {
      if (b.nodes.length < 2) return;
      const item = this.w.item("beam", i, b.name, `beam, ${b.section} section`);
      const mesh = new BeamMesh(b, this.model, this.unit, palette[i % palette.length]);
      mesh.mesh.castShadow = mesh.mesh.receiveShadow = !this.thinned;
      mesh.mesh.userData.item = item;
      this.beams.push(mesh);
      this.scene.add(mesh.mesh);
    });
  }

  update(at: Cursor): void {
    this.motion.poses.forEach((p, i) => {
      this.w.bodies[i].position.copy(p.p);
      this.w.bodies[i].quaternion.copy(p.q);
    });
    const [a, b, from, to] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    const m = new Matrix4();
    for (const c of this.w.connectors) {
      worldPlace(this.motion.poses, c.a, a);
      worldPlace(this.motion.poses, c.b, b);
      for (const o of c.objects) {
        from.lerpVectors(a, b, o.from);
        to.lerpVectors(a, b, o.to);
        between(from, to, o.width, m).decompose(o.object.position, o.object.quaternion, o.object.scale);
      }
    }
    for (const beam of this.beams) beam.update(this.motion.poses, this.show.strain ? this.strainMost : 0);
    this.arrows.update(at, this.show);
    this.batch?.update();
    this.contacts.update(at, this.batch, (m) => this.picked.some((k) => k.material === m));
    for (const { line } of this.trails) {
      line.visible = this.show.trails && !this.data.info.modes;
      line.geometry.setDrawRange(0, at.i + 1);
    }
    for (const g of this.w.axes) g.visible = this.show.frames;
    const focus = this.travel.getCenter(a);
    if (this.followed && this.motion.poses[this.heaviest]) focus.copy(this.motion.poses[this.heaviest].p);
    this.light.aim(focus, this.followed);
  }

  /** The mechanism leaves the place where it begins. */
  get travelsFar(): boolean {
    const held = this.model.joints.some(
      (j) => j.a && j.b && Math.min(j.a.body, j.b.body) < 0 && j.type !== "wheel" && j.type !== "knife_edge",
    );
    return !held && this.travel.getSize(new Vector3()).length() > 2.2 * this.size && !this.data.info.modes;
  }

  /** A camera should go along from the start: there is more to be seen than where something flies, or it
   * would be a dot in a picture of its whole way. */
  get wantsFollowing(): boolean {
    const linked = [...this.model.joints, ...this.model.forces].some(
      (e) => e.a && e.b && Math.min(e.a.body, e.b.body) >= 0 && e.a.body !== e.b.body,
    );
    const way = this.travel.getSize(new Vector3()).length();
    return this.travelsFar && (linked || this.model.beams.length > 0 || way > DOT * this.size);
  }

  /** What it follows then. */
  get leader(): Item | null {
    const beam = this.model.beams.findIndex((b) => b.nodes.includes(this.heaviest));
    return (
      this.items.find((i) =>
        beam < 0 ? i.kind === "body" && i.index === this.heaviest : i.kind === "beam" && i.index === beam,
      ) ?? null
    );
  }

  /** The paths of its centre and of its free frames. */
  setTrail(body: number, on: boolean): void {
    for (const { line } of this.trails.filter((t) => t.body === body)) {
      this.scene.remove(line);
      line.geometry.dispose();
    }
    const kept = this.trails.filter((t) => t.body !== body);
    this.trails.splice(0, this.trails.length, ...kept);
    if (!on) return;
    for (const point of [[0, 0, 0], ...freePlaces(this.model, body).map((at) => at.p)]) {
      const g = new BufferGeometry();
      g.setAttribute("position", new BufferAttribute(this.motion.path(body, point), 3));
      const m = new LineBasicMaterial({ color: this.w.colour("trail") });
      this.w.follow(m, "trail");
      const line = new Line(g, m);
      line.frustumCulled = false;
      this.trails.push({ body, point, line });
      this.scene.add(line);
    }
  }

  /** The points of the trails now drawn, in the frames of their bodies; for tests. */
  get traced(): { body: number; point: number[] }[] {
    return this.trails.map(({ body, point }) => ({ body, point }));
  }

  setTheme(theme: Theme): void {
    this.w.setTheme(theme);
    this.light.setTheme(theme);
    this.batch?.setTheme();
    colourGrid(this.grid, theme);
  }

  /** Make what belongs to an item glow. */
  highlight(item: Item | null): void {
    for (const p of this.picked) p.material.emissive.setHex(p.before);
    this.picked.length = 0;
    this.batch?.highlight(item);
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
    else if (item.kind === "force") p.copy(this.arrows.placeOf(item.name) ?? p);
    return p;
  }
}
