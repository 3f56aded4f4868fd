// When a page may enter without a click. A refused or lost call makes the line read the place again, and each read shows the page
// again: without a pause the page would send the same call in a loop.
import { unanswered, type Answer } from './http.ts';

export class EnterPace {
  #inFlight = false;
  #notBefore = 0;

  constructor(
    readonly now: () => number = Date.now,
    readonly random: () => number = Math.random,
  ) {}

  // Makes the call; undefined: not now. `pressed`: the visitor asks for it, so only a call in flight prevents it.
  async run<T>(call: () => Promise<Answer<T> | null>, pressed = false): Promise<Answer<T> | null | undefined> {
    if (this.#inFlight || (!pressed && this.now() < this.#notBefore)) return undefined;
    this.#inFlight = true;
    try {
      const answer = await call();
      // An answer is final: the page goes on, or only the visitor tries again.
      const pause = unanswered(answer) ? Math.max(3000, answer?.retryAfterMs ?? 0) * (1 + this.random() * 0.3) : Infinity;
      this.#notBefore = this.now() + pause;
      return answer;
    } finally {
      this.#inFlight = false;
    }
  }
  // A new place has its own turn.
  reset(): void {
    this.#notBefore = 0;
  }
}
