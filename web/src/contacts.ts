// Shapes that glow while they touch.
import { Material, Mesh, MeshStandardMaterial } from "three";
import { Batch } from "./batch";
import { Cursor, Data, SceneData, valueAt } from "./data";

interface Contact {
  name: string;
  shapes: Mesh[];
}

export class Contacts {
  private readonly contacts: Contact[] = [];

  constructor(
    private readonly data: Data,
    model: SceneData,
    byName: Map<string, Mesh>,
  ) {
    for (const f of model.forces) {
      if (f.type !== "contact") continue;
      const shapes = [f.first, f.second]
        .map((n) => byName.get(n ?? ""))
        .filter((m) => m && m.userData.item) as Mesh[];
      this.contacts.push({ name: f.name, shapes });
    }
  }

  /** batch: of many bodies. isPicked: a material that shows a selection keeps its colour. */
  update(at: Cursor, batch: Batch | null, isPicked: (m: Material) => boolean): void {
    for (const c of this.contacts) {
      const force = this.data.byName.get(`${c.name}.force`);
      const touching = force ? valueAt(force, at) > 0 : false;
      for (const mesh of c.shapes) {
        if (batch?.setTouching(mesh, touching)) continue;
        const m = mesh.material as MeshStandardMaterial;
        if (!isPicked(m)) m.emissive.set(touching ? "#7a2a12" : "#000000");
      }
    }
  }
}
