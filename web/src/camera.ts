// The canvas: renderer, cameras, mouse, picking.
import {
  Box3,
  OrthographicCamera,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Raycaster,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Item } from "./items";
import { World } from "./world";

export type Preset = "iso" | "front" | "back" | "left" | "right" | "top" | "bottom";

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  camera: PerspectiveCamera | OrthographicCamera;
  follow: Item | null = null;
  onPick: (item: Item | null) => void = () => undefined;
  private readonly perspective = new PerspectiveCamera(35, 1, 0.01, 1000);
  private readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly last = new Vector3();
  private span = 1; // height of the orthographic view [m]

  constructor(
    private readonly host: HTMLElement,
    private readonly world: World,
  ) {
    this.renderer = new WebGLRenderer({ antialias: !world.thinned, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = !world.thinned;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    host.append(this.renderer.domElement);
    this.camera = world.model.planar ? this.orthographic : this.perspective;
    for (const c of [this.perspective, this.orthographic]) c.up.copy(world.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.listen();
  }

  resize(): void {
    const w = Math.max(1, this.host.clientWidth);
    const h = Math.max(1, this.host.clientHeight);
    this.renderer.setSize(w, h);
    this.perspective.aspect = w / h;
    this.perspective.updateProjectionMatrix();
    const half = this.span / 2;
    Object.assign(this.orthographic, {
      left: (-half * w) / h,
      right: (half * w) / h,
      top: half,
      bottom: -half,
    });
    this.orthographic.updateProjectionMatrix();
  }

  // A click without a drag selects.
  private listen(): void {
    const canvas = this.renderer.domElement;
    const down = new Vector2();
    canvas.addEventListener("pointerdown", (e) => down.set(e.clientX, e.clientY));
    canvas.addEventListener("pointerup", (e) => {
      if (e.button === 0 && down.distanceTo(new Vector2(e.clientX, e.clientY)) < 4)
        this.onPick(this.pick(e.clientX, e.clientY));
    });
  }

  pick(x: number, y: number): Item | null {
    const r = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(((x - r.left) / r.width) * 2 - 1, 1 - ((y - r.top) / r.height) * 2);
    const ray = new Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(at, this.camera);
    for (const hit of ray.intersectObjects(this.world.scene.children, true)) {
      const { item: own, items } = hit.object.userData as { item?: Item; items?: Item[] };
      const item = own ?? items?.[hit.faceIndex ?? -1];
      if (item && hit.object.visible) return item;
    }
    return null;
  }

  /** The pixel at which a point is seen, in the coordinates of the page. */
  pixelOf(p: Vector3): { x: number; y: number } {
    this.camera.updateMatrixWorld();
    const v = p.clone().project(this.camera);
    const r = this.renderer.domElement.getBoundingClientRect();
    return { x: r.left + ((v.x + 1) / 2) * r.width, y: r.top + ((1 - v.y) / 2) * r.height };
  }

  private direction(preset: Preset): Vector3 {
    const up = this.world.up;
    const [x, y] = up.z
      ? [new Vector3(1, 0, 0), new Vector3(0, 1, 0)]
      : up.y
        ? [new Vector3(1, 0, 0), new Vector3(0, 0, -1)]
        : [new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
    const sum = (a: number, b: number, c: number) =>
      new Vector3().addScaledVector(x, a).addScaledVector(y, b).addScaledVector(up, c);
    const table: Record<Preset, Vector3> = {
      iso: this.world.model.planar ? sum(0.25, -1, 0.3) : sum(0.75, -1, 0.55),
      front: sum(0, -1, 0),
      back: sum(0, 1, 0),
      left: sum(-1, 0, 0),
      right: sum(1, 0, 0),
      top: sum(0, -0.001, 1),
      bottom: sum(0, -0.001, -1),
    };
    return table[preset].normalize();
  }

  /** Look at the mechanism from a side, near enough to fill the picture. */
  look(preset: Preset): void {
    this.fit(this.direction(preset));
  }

  fit(direction?: Vector3): void {
    const box = new Box3().copy(this.world.travelsFar ? this.world.box : this.world.travel);
    const centre = box.getCenter(new Vector3());
    if (this.world.travelsFar)
      centre.add(this.world.motion.poses[this.world.heaviest].p).sub(this.world.heaviestStart);
    const towards =
      direction ?? new Vector3().subVectors(this.camera.position, this.controls.target).normalize();
    if (!(towards.length() > 0)) towards.copy(this.direction("iso"));
    const aspect = Math.max(0.2, this.host.clientWidth / Math.max(1, this.host.clientHeight));
    const [w, h] = this.extent(box, towards);
    const height = 1.12 * Math.max(h, w / aspect, 4 * this.world.unit);
    const distance = height / 2 / Math.tan((this.perspective.fov * Math.PI) / 360) + 0.2 * this.world.size;
    this.span = height;
    this.perspective.near = distance / 200;
    this.perspective.far = distance * 60;
    this.orthographic.zoom = 1;
    for (const c of [this.perspective, this.orthographic])
      c.position.copy(centre).addScaledVector(towards, distance);
    this.orthographic.near = -50 * distance;
    this.orthographic.far = 50 * distance;
    this.controls.target.copy(centre);
    this.resize();
    this.controls.update();
  }

  // Width and height of a box seen along a direction.
  private extent(box: Box3, towards: Vector3): [number, number] {
    const right = new Vector3().crossVectors(this.world.up, towards);
    if (right.length() < 1e-2) right.set(1, 0, 0);
    right.normalize();
    const above = new Vector3().crossVectors(towards, right);
    const size = box.getSize(new Vector3());
    const along = (d: Vector3) => Math.abs(d.x) * size.x + Math.abs(d.y) * size.y + Math.abs(d.z) * size.z;
    return [along(right), along(above)];
  }

  get isOrthographic(): boolean {
    return this.camera === this.orthographic;
  }

  setOrthographic(on: boolean): void {
    const next = on ? this.orthographic : this.perspective;
    if (next === this.camera) return;
    next.position.copy(this.camera.position);
    next.quaternion.copy(this.camera.quaternion);
    if (on) {
      const d = this.camera.position.distanceTo(this.controls.target);
      this.span = 2 * d * Math.tan((this.perspective.fov * Math.PI) / 360);
      this.orthographic.zoom = 1;
    }
    this.camera = next;
    this.controls.object = next;
    this.resize();
    this.controls.update();
  }

  setFollow(item: Item | null): void {
    this.follow = item;
    if (item) this.last.copy(this.world.placeOf(item));
  }

  render(): void {
    if (this.follow) {
      const p = this.world.placeOf(this.follow);
      const d = p.clone().sub(this.last);
      this.camera.position.add(d);
      this.controls.target.add(d);
      this.last.copy(p);
      this.controls.update();
    }
    this.renderer.render(this.world.scene, this.camera);
  }
}
