// What can be selected.

export type Kind = "body" | "joint" | "force" | "beam" | "road";
export interface Item {
  kind: Kind;
  index: number;
  name: string;
  type: string;
}
