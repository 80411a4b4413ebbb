// What leaves the page: a link to what it shows, a picture of it.
import { Stage } from "./camera";
import { el } from "./dom";
import { linkText } from "./remember";

/** Offers a file to be saved. */
export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The address gets the link; the clipboard too, where the browser lets a page write to it. */
export async function copyLink(stage: Stage | null, time: number, selected: string | null): Promise<string> {
  const hash = linkText({
    time,
    selected,
    from: stage?.camera.position.toArray() ?? [0, 0, 0],
    at: stage?.controls.target.toArray() ?? [0, 0, 0],
    zoom: stage?.camera.zoom ?? 1,
    flat: stage?.isOrthographic ?? false,
  });
  history.replaceState(null, "", `#${hash}`);
  try {
    await navigator.clipboard.writeText(location.href);
    return "The link to this view and time is copied.";
  } catch {
    return "The address of the page is the link to this view and time.";
  }
}

/** To the clipboard, or as a file where the browser does not let a page write a picture there. */
export async function copyPicture(canvas: HTMLCanvasElement): Promise<string> {
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  if (!blob) return "There is no picture.";
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return "The picture is copied.";
  } catch {
    save(blob, "trammel.png");
    return "The picture is saved as trammel.png.";
  }
}
