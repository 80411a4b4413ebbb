// Where bodies are: between the rows of a run, or in the motion of a mode.
import { Matrix4, Quaternion, Vector3 } from "three";
import { Body, Channel, Cursor, Data, Place, SceneData, cursorAt } from "./data";

export class Pose {
  p = new Vector3();
  q = new Quaternion();
}

/** A place on a body, in world coordinates. */
export function worldPlace(poses: Pose[], at: Place, p: Vector3, q?: Quaternion): void {
  p.set(at.p[0], at.p[1], at.p[2]);
  q?.set(at.q[1], at.q[2], at.q[3], at.q[0]);
  const body = poses[at.body];
  if (!body) return; // ground
  p.applyQuaternion(body.q).add(body.p);
  q?.premultiply(body.q);
}

const POSE = ["x", "y", "z", "q0", "q1", "q2", "q3"];
// Of POSE, what cannot change, and results leave out: in planar models, of point masses.
const OUT_OF_PLANE = [2, 4, 5];
const ORIENTATION = [3, 4, 5, 6];
const SHAPE = ["dx", "dy", "dz", "drx", "dry", "drz"];

type Coordinate = Channel | number; // a number: it never changes

function valueOf(c: Coordinate, row: number): number {
  return typeof c === "number" ? c : c.values[row];
}

export class Motion {
  readonly poses: Pose[];
  readonly still: string[] = []; // bodies whose motion is not in the result
  private readonly channels: (Coordinate[] | null)[];
  private readonly shapes: (Channel[] | null)[] = []; // re and im of the six coordinates
  private readonly a = new Quaternion();
  private readonly b = new Quaternion();
  private readonly v = new Vector3();
  readonly origin: Vector3; // from which places count; channels do not

  constructor(
    private readonly data: Data,
    private readonly scene: SceneData,
  ) {
    const find = (names: string[]): Channel[] | null => {
      const found = names.map((n) => data.byName.get(n));
      return found.every((c) => c) ? (found as Channel[]) : null;
    };
    const pose = (b: Body): Coordinate[] | null => {
      const found = POSE.map((k): Coordinate | undefined => data.byName.get(`${b.name}.${k}`));
      const given = (k: number) => b.q[k] + (k < 3 ? (scene.origin?.[k] ?? 0) : 0);
      for (const k of scene.planar ? OUT_OF_PLANE : []) found[k] ??= given(k);
      for (const k of b.point ? ORIENTATION : []) found[k] ??= given(k);
      return found.every((c) => c !== undefined) ? (found as Coordinate[]) : null;
    };
    this.origin = new Vector3().fromArray(scene.origin ?? [0, 0, 0]);
    this.channels = scene.bodies.map(pose);
    this.poses = scene.bodies.map(() => new Pose());
    scene.bodies.forEach((b, i) => {
      if (!this.channels[i]) this.still.push(b.name);
      if (data.info.modes)
        this.shapes.push(find(SHAPE.flatMap((k) => [`${b.name}.${k}.re`, `${b.name}.${k}.im`])));
    });
  }

  private readQuaternion(c: Coordinate[], row: number, q: Quaternion): Quaternion {
    return q.set(valueOf(c[4], row), valueOf(c[5], row), valueOf(c[6], row), valueOf(c[3], row));
  }

  /** All poses at a time. */
  setTime(time: number): Cursor {
    const at = cursorAt(this.data.t, time);
    this.channels.forEach((c, k) => this.setPose(k, c, at));
    return at;
  }

  private setPose(k: number, c: Coordinate[] | null, at: Cursor): void {
    const pose = this.poses[k];
    if (!c) {
      const q = this.scene.bodies[k].q;
      pose.p.set(q[0], q[1], q[2]);
      pose.q.set(q[4], q[5], q[6], q[3]);
      return;
    }
    const { i, f } = at;
    pose.p.set(valueOf(c[0], i), valueOf(c[1], i), valueOf(c[2], i)).sub(this.origin);
    this.readQuaternion(c, i, pose.q);
    if (f > 0) {
      this.v.set(valueOf(c[0], i + 1), valueOf(c[1], i + 1), valueOf(c[2], i + 1)).sub(this.origin);
      pose.p.lerp(this.v, f);
      this.a.copy(pose.q);
      pose.q.slerpQuaternions(this.a, this.readQuaternion(c, i + 1, this.b), f);
    }
    pose.q.normalize();
  }

  /** Poses of a mode at a phase: the state of the file plus Re(shape e^(i phase)) times an amplitude. */
  setMode(row: number, phase: number, amplitude: number): Cursor {
    const at = { i: row, f: 0 };
    const re = Math.cos(phase) * amplitude;
    const im = -Math.sin(phase) * amplitude;
    this.channels.forEach((c, k) => {
      this.setPose(k, c, at);
      const s = this.shapes[k];
      if (!s) return;
      const x = SHAPE.map((_, j) => s[2 * j].values[row] * re + s[2 * j + 1].values[row] * im);
      const pose = this.poses[k];
      pose.p.add(this.v.set(x[0], x[1], x[2]));
      const angle = Math.hypot(x[3], x[4], x[5]);
      if (angle > 0) {
        this.v.set(x[3] / angle, x[4] / angle, x[5] / angle);
        pose.q.multiply(this.a.setFromAxisAngle(this.v, angle)); // rotation in body axes
      }
    });
    return at;
  }

  /** Largest translation of a mode [m]. */
  modeSize(row: number): number {
    let most = 0;
    for (const s of this.shapes)
      for (let j = 0; s && j < 6; j++) most = Math.max(most, Math.abs(s[j].values[row]));
    return most;
  }

  /** A point of a body, in its frame, over time: (rows x 3). */
  path(body: number, point: number[]): Float32Array {
    const c = this.channels[body];
    const n = this.data.t.length;
    const path = new Float32Array(3 * n);
    for (let i = 0; c && i < n; i++) {
      this.v.fromArray(point).applyQuaternion(this.readQuaternion(c, i, this.a).normalize());
      path[3 * i] = valueOf(c[0], i) - this.origin.x + this.v.x;
      path[3 * i + 1] = valueOf(c[1], i) - this.origin.y + this.v.y;
      path[3 * i + 2] = valueOf(c[2], i) - this.origin.z + this.v.z;
    }
    return path;
  }
}

/** A matrix that puts an object along z from 0 to 1 between two points, with its width unchanged. */
export function between(a: Vector3, b: Vector3, width: number, m: Matrix4): Matrix4 {
  const d = new Vector3().subVectors(b, a);
  const length = Math.max(d.length(), 1e-9);
  const q = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), d.divideScalar(length));
  return m.compose(a, q, new Vector3(width, width, length));
}
