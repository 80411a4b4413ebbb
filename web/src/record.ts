// Pictures for `trammel export`: draws the scene at the times that the server asks for, and sends them back.
import { Preset } from "./camera";

interface Plan {
  width: number; // [px]
  height: number;
  view?: "3d" | "front" | "side" | "top";
  times: number[];
}

/** What is drawn. */
export interface Subject {
  canvas: HTMLCanvasElement;
  setSize(width: number, height: number): void;
  look(preset: Preset): void;
  drawAt(time: number): void;
}

const presets: Record<string, Preset> = { "3d": "iso", front: "front", side: "right", top: "top" };

export function isRecording(): boolean {
  return location.hash === "#record";
}

export async function record(subject: Subject): Promise<void> {
  const plan = (await (await fetch("plan")).json()) as Plan;
  subject.setSize(plan.width, plan.height);
  if (plan.view) subject.look(presets[plan.view]);
  for (let i = 0; i < plan.times.length; i++) {
    subject.drawAt(plan.times[i]);
    const picture = await new Promise<Blob | null>((done) => subject.canvas.toBlob(done, "image/png"));
    const answer = await fetch(`frame/${i}`, { method: "POST", body: picture });
    if (!answer.ok) return;
  }
}
