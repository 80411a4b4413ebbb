// What all that is drawn is made with: sizes, materials, the groups that move with bodies.
import {
  Box3,
  BufferGeometry,
  Color,
  Group,
  Material,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Scene,
  Vector3,
} from "three";
import { Data, Place, SceneData } from "./data";
import { Extent } from "./extent";
import { Item, Kind } from "./items";
import { Theme, material } from "./look";
import { Motion } from "./motion";

/** The layer of what is drawn in front of all else, since it is mostly inside of something: arrows, axes. */
export const FRONT = 1;

/** Objects that go from one place to another, whatever the bodies do. */
export interface Connector {
  a: Place;
  b: Place;
  objects: { object: Object3D; width: number; from: number; to: number }[];
}

export class Workshop {
  readonly scene = new Scene();
  readonly fixed = new Group(); // what belongs to the ground
  readonly helpers = new Group(); // what belongs to nothing
  readonly bodies: Group[] = [];
  readonly items: Item[] = [];
  readonly connectors: Connector[] = [];
  readonly axes: Group[] = []; // axes of bodies and frames
  readonly up = new Vector3(0, 0, 1);
  readonly unit: number;
  readonly size: number;
  readonly travel: Box3;
  private readonly themed: { material: { color: Color }; key: keyof Theme }[] = [];

  constructor(
    readonly data: Data,
    readonly model: SceneData,
    readonly motion: Motion,
    readonly extent: Extent,
    readonly thinned: boolean,
    private theme: Theme,
  ) {
    this.unit = extent.unit;
    this.size = extent.size;
    this.travel = extent.travel;
    const g = model.gravity;
    if (model.planar) this.up.set(0, 1, 0);
    else if (Math.hypot(g[0], g[1], g[2]) > 0) {
      const k = [0, 1, 2].reduce((a, b) => (Math.abs(g[b]) > Math.abs(g[a]) ? b : a));
      this.up.set(0, 0, 0).setComponent(k, g[k] > 0 ? -1 : 1);
    }
    this.scene.add(this.fixed, this.helpers);
  }

  colour(key: keyof Theme): string {
    return this.theme[key] as string;
  }

  /** A material keeps the colour of this key when the theme changes. */
  follow(m: { color: Color }, key: keyof Theme): void {
    this.themed.push({ material: m, key });
  }

  /** The materials that follow the theme. */
  themeKeys(): Map<unknown, keyof Theme> {
    return new Map(this.themed.map((t) => [t.material, t.key]));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.scene.background = new Color(theme.background);
    for (const t of this.themed) t.material.color.set(theme[t.key] as string);
  }

  themedMaterial(key: keyof Theme, opacity = 1): MeshStandardMaterial {
    const m = material(this.theme[key] as string, opacity);
    this.follow(m, key);
    return m;
  }

  mesh(g: BufferGeometry, m: Material, item?: Item): Mesh {
    const mesh = new Mesh(g, m);
    if (m instanceof MeshStandardMaterial) m.vertexColors = g.hasAttribute("color");
    mesh.castShadow = mesh.receiveShadow = !this.thinned;
    if (item) mesh.userData.item = item;
    return mesh;
  }

  groupOf(body: number): Group {
    return body < 0 ? this.fixed : this.bodies[body];
  }

  item(kind: Kind, index: number, name: string, type: string): Item {
    const item = { kind, index, name, type };
    this.items.push(item);
    return item;
  }

  attach(g: BufferGeometry, m: Material, at: Place, item?: Item): Mesh {
    const mesh = this.mesh(g, m, item);
    mesh.position.fromArray(at.p);
    mesh.quaternion.set(at.q[1], at.q[2], at.q[3], at.q[0]);
    this.groupOf(at.body).add(mesh);
    return mesh;
  }

  bodyItem(body: number): Item | undefined {
    return this.items.find((k) => k.kind === "body" && k.index === body);
  }
}
