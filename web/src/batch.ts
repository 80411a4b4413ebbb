// Many bodies: all that moves with them is one mesh, drawn by one call. Its vertices are moved here, because
// software renderers take longer for an instance than for its few triangles.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Vector3,
} from "three";
import { Item } from "./items";
import { Theme } from "./look";
import { Workshop } from "./workshop";

interface Part {
  body: number;
  position: Float32Array; // of its vertices, in the axes of the body
  normal: Float32Array;
  colour: Color;
  key?: keyof Theme; // the colour is that of the theme
  item?: Item;
  first: number; // vertex
}

const PICKED = new Color("#ffb020");
const TOUCHING = new Color("#e2572b");
const ONE = new Vector3(1, 1, 1);

function attribute(count: number): BufferAttribute {
  const a = new BufferAttribute(new Float32Array(3 * count), 3);
  a.setUsage(DynamicDrawUsage);
  return a;
}

export class Batch {
  private readonly parts: Part[] = [];
  private readonly bySource = new Map<Mesh, Part>();
  private readonly touching = new Set<Part>();
  private readonly geometry = new BufferGeometry();
  private picked: Item | null = null;

  /** Takes the opaque meshes of all bodies out of their groups. */
  constructor(private readonly w: Workshop) {
    const keys = w.themeKeys();
    const index: number[] = [];
    const owner: (Item | undefined)[] = []; // of each triangle
    let vertices = 0;
    w.bodies.forEach((group, body) => {
      for (const mesh of this.opaque(group)) {
        const part = this.makePart(mesh, body, vertices, keys);
        const own = mesh.geometry.index;
        const n = own ? own.count : part.position.length / 3;
        for (let i = 0; i < n; i++) index.push(vertices + (own ? own.getX(i) : i));
        for (let i = 0; i < n; i += 3) owner.push(part.item);
        vertices += part.position.length / 3;
        this.parts.push(part);
        this.bySource.set(mesh, part);
        group.remove(mesh);
      }
    });
    for (const name of ["position", "normal", "color"]) this.geometry.setAttribute(name, attribute(vertices));
    this.geometry.setIndex(index);
    const mesh = new Mesh(this.geometry, new MeshLambertMaterial({ vertexColors: true }));
    mesh.frustumCulled = false;
    mesh.userData.items = owner;
    w.scene.add(mesh);
    this.paint();
  }

  private opaque(group: Group): Mesh[] {
    return group.children.filter((c): c is Mesh => c instanceof Mesh && !c.material.transparent);
  }

  private makePart(mesh: Mesh, body: number, first: number, keys: Map<unknown, keyof Theme>): Part {
    mesh.updateMatrix();
    const g = mesh.geometry.applyMatrix4(mesh.matrix);
    const material = mesh.material as MeshLambertMaterial;
    return {
      body,
      position: g.getAttribute("position").array as Float32Array,
      normal: g.getAttribute("normal").array as Float32Array,
      colour: material.color.clone(),
      key: keys.get(material),
      item: mesh.userData.item as Item | undefined,
      first,
    };
  }

  private paintPart(p: Part): void {
    const own = p.key ? p.colour.set(this.w.colour(p.key)) : p.colour;
    const picked = this.picked && p.item === this.picked;
    const c = picked ? PICKED : this.touching.has(p) ? TOUCHING : own;
    const to = this.geometry.getAttribute("color");
    for (let i = 0; i < p.position.length / 3; i++) to.setXYZ(p.first + i, c.r, c.g, c.b);
    to.needsUpdate = true;
  }

  private paint(): void {
    this.parts.forEach((p) => this.paintPart(p));
  }

  update(): void {
    const bodies = this.w.motion.poses.map((p) => new Matrix4().compose(p.p, p.q, ONE).elements);
    const position = this.geometry.getAttribute("position");
    const normal = this.geometry.getAttribute("normal");
    for (const p of this.parts) {
      move(bodies[p.body], p.position, position.array as Float32Array, 3 * p.first, 1);
      move(bodies[p.body], p.normal, normal.array as Float32Array, 3 * p.first, 0);
    }
    position.needsUpdate = normal.needsUpdate = true;
    this.geometry.boundingSphere = null; // for clicks
  }

  setTheme(): void {
    this.paint();
  }

  highlight(item: Item | null): void {
    this.picked = item;
    this.paint();
  }

  /** Whether what a mesh has become touches something. False: it is not part of the batch. */
  setTouching(source: Mesh, on: boolean): boolean {
    const part = this.bySource.get(source);
    if (!part) return false;
    if (this.touching.has(part) === on) return true;
    if (on) this.touching.add(part);
    else this.touching.delete(part);
    this.paintPart(part);
    return true;
  }
}

// Points (share 1) or directions (share 0), by a matrix of columns.
function move(m: number[], from: Float32Array, to: Float32Array, at: number, share: number): void {
  for (let i = 0; i < from.length; i += 3) {
    const [x, y, z] = [from[i], from[i + 1], from[i + 2]];
    to[at + i] = m[0] * x + m[4] * y + m[8] * z + share * m[12];
    to[at + i + 1] = m[1] * x + m[5] * y + m[9] * z + share * m[13];
    to[at + i + 2] = m[2] * x + m[6] * y + m[10] * z + share * m[14];
  }
}
