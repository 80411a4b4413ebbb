// A page with a server (`trammel view --serve`): asks for later rows of its result.
import { Data, updateData } from "./data";

const PAUSE = 500; // [ms] between two questions, at least
const SHARE = 4; // times the length of the last answer, so that large results do not keep the machine busy

export type LiveState = "running" | "ended" | "gone";

export class Live {
  updates = 0;

  /** changed: there are new rows; state: whether more may come. */
  constructor(
    private readonly data: Data,
    private readonly changed: () => void,
    private readonly state: (s: LiveState) => void,
  ) {
    this.state(this.now());
    window.setTimeout(() => void this.ask(), PAUSE);
  }

  private now(): LiveState {
    return this.data.info.notes.report || this.data.info.modes ? "ended" : "running";
  }

  private async ask(): Promise<void> {
    const begin = performance.now();
    try {
      const answer = await fetch(`data?have=${this.data.info.live!.version}`);
      if (answer.status === 200) {
        if (!updateData(this.data, await answer.arrayBuffer())) {
          location.reload();
          return;
        }
        this.updates++;
        this.changed();
      }
      this.state(this.now());
    } catch {
      this.state("gone");
    }
    const pause = Math.max(PAUSE, SHARE * (performance.now() - begin));
    window.setTimeout(() => void this.ask(), pause);
  }
}
