// The canvas: renderer, cameras, mouse, picking.
import {
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
import { FRONT } from "./workshop";
import { World } from "./world";

const MARGIN = 0.93; // share of the picture that the mechanism may fill

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
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", "The mechanism; its parts are in the list of names");
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
    // the angle of view, or the span, is that of the part below the toolbar; the picture goes on behind it
    const clear = this.clearHeight();
    this.renderer.setSize(w, h);
    this.perspective.aspect = w / clear;
    const half = this.span / 2;
    Object.assign(this.orthographic, {
      left: (-half * w) / clear,
      right: (half * w) / clear,
      top: half,
      bottom: -half,
    });
    for (const c of [this.perspective, this.orthographic]) c.setViewOffset(w, clear, 0, clear - h, w, h);
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
    const own = this.world.scene.children.filter((o) => !o.userData.ghost);
    for (const hit of ray.intersectObjects(own, true)) {
      const { item: one, items } = hit.object.userData as { item?: Item; items?: Item[] };
      const item = one ?? items?.[hit.faceIndex ?? -1];
      if (item && hit.object.visible) return item;
      if (hit.object.userData.floor) return null; // what is below it is not seen
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

  /** Near enough that all that is seen in the course of the run just fits below the toolbar.
   *
   * With x, y to the right and up and z towards the camera, a ball of radius r at (x, y, z) is inside the
   * picture of a camera at (cx, cy, D) if |y - cy| + r <= k (D - z), with k the tangent of half the angle of
   * view. All balls are if max(y + r + k z) - k D <= cy <= min(y - r - k z) + k D, which gives the least D
   * and its cy; likewise for x. */
  fit(direction?: Vector3): void {
    const towards =
      direction ?? new Vector3().subVectors(this.camera.position, this.controls.target).normalize();
    if (!(towards.length() > 0)) towards.copy(this.direction("iso"));
    const right = new Vector3().crossVectors(this.world.up, towards);
    if (right.length() < 1e-2) right.set(1, 0, 0);
    right.normalize();
    const above = new Vector3().crossVectors(towards, right);
    const aspect = Math.max(0.2, this.host.clientWidth / this.clearHeight());
    const up = MARGIN * Math.tan((this.perspective.fov * Math.PI) / 360);
    const balls = this.world.seen;
    const range = (axis: Vector3, k: number): [number, number] => {
      let [low, high] = [Infinity, -Infinity];
      for (const { p, r } of balls) {
        const [x, z] = [p.dot(axis), p.dot(towards)];
        low = Math.min(low, x - r - k * z);
        high = Math.max(high, x + r + k * z);
      }
      return low <= high ? [low, high] : [-1, 1];
    };
    const across = aspect * up;
    const [y, x] = [range(above, up), range(right, across)];
    const depth = Math.max((y[1] - y[0]) / (2 * up), (x[1] - x[0]) / (2 * across));
    // parallel rays see all of it in its own height and width
    const [flatY, flatX] = [range(above, 0), range(right, 0)];
    this.span = Math.max(flatY[1] - flatY[0], (flatX[1] - flatX[0]) / aspect) / MARGIN;
    const [back, front] = [range(towards, 0)[0], range(towards, 0)[1]];
    const middle = (back + front) / 2;
    const place = (cx: number, cy: number, z: number) =>
      new Vector3().addScaledVector(right, cx).addScaledVector(above, cy).addScaledVector(towards, z);
    const flat = this.isOrthographic;
    const [cx, cy] = flat
      ? [(flatX[0] + flatX[1]) / 2, (flatY[0] + flatY[1]) / 2]
      : [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    const distance = Math.max(depth - middle, 1e-3 * this.world.size);
    this.perspective.near = distance / 200;
    this.perspective.far = distance * 60;
    this.orthographic.zoom = 1;
    for (const c of [this.perspective, this.orthographic])
      c.position.copy(place(cx, cy, middle + distance));
    this.orthographic.near = -50 * distance;
    this.orthographic.far = 50 * distance;
    this.controls.target.copy(place(cx, cy, middle));
    this.resize();
    this.controls.update();
  }

  // What the toolbar leaves free of the height [px].
  private clearHeight(): number {
    return Math.max(1, this.host.clientHeight - this.covered());
  }

  private covered(): number {
    const bar = this.host.querySelector<HTMLElement>(".toolbar");
    const height = bar && bar.offsetHeight > 0 ? bar.offsetTop + bar.offsetHeight : 0;
    return Math.min(height, 0.5 * this.host.clientHeight);
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
    this.world.followed = item !== null && this.world.travelsFar;
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
    if (this.world.show.frames || this.world.arrows.areShown) this.renderFront();
  }

  // Arrows and axes hide each other, and are hidden by nothing else.
  private renderFront(): void {
    const { renderer, camera } = this;
    const { scene } = this.world;
    const { background } = scene;
    scene.background = null; // it would clear the picture
    renderer.autoClear = renderer.shadowMap.autoUpdate = false;
    renderer.clearDepth();
    camera.layers.set(FRONT);
    renderer.render(scene, camera);
    camera.layers.set(0);
    renderer.autoClear = renderer.shadowMap.autoUpdate = true;
    scene.background = background;
  }
}
