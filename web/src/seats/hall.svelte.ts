// The seats of one date, kept current by the stream, or by polling for changes without one.
import { sharedStream, type Heard } from '../../client/stream.ts';
import { call, unanswered, type Answer } from '../lib/api.ts';
import { every } from '../lib/every.ts';
import type { Plan } from './layout.ts';

const letters: Record<string, string> = { AVAILABLE: 'A', HELD: 'H', ASSIGNED: 'S', BLOCKED: 'B' };
// Poll interval without a stream; with one, a slow poll in case a proxy blocks it.
const askEvery = 1000;
const askAnyway = 15_000;

export class Hall {
  plan = $state.raw<Plan | null>(null);
  // One letter per seat; replaced as a whole, so that one change is one redraw.
  states = $state.raw<string[]>([]);
  lost = $state(false);
  #version = 0;
  #live = false;
  #asked = 0;
  // The stream may have told of changes that this tab has not: read them before the next ones are applied.
  #behind = true;

  constructor(
    readonly schedule: number,
    readonly onchange: (numbers: number[]) => void,
  ) {}

  // Keeps the seats current while the page is visible; returns a function that stops it. All tabs share one stream.
  watch(): () => void {
    let end: (() => void) | null = null;
    const address = () => `/api/v1/schedules/${this.schedule}/seats/stream?since=${this.#version}`;
    const stop = every(askEvery, async () => {
      const answer = !this.#live || Date.now() - this.#asked >= askAnyway ? await this.refresh() : null;
      if (this.plan !== null) end ??= sharedStream(`maejin:seats:${this.schedule}`, address, ['seats', 'snapshot'], (heard) => this.#hear(heard));
      return answer;
    });
    return () => {
      stop();
      end?.();
      end = () => {};
    };
  }

  async refresh(): Promise<Answer<unknown> | null> {
    this.#asked = Date.now();
    if (this.plan === null) return this.#readAll();
    const answer = await call<{ version: number; changes?: { number: number; status: string }[] } & Plan>(
      `/api/v1/schedules/${this.schedule}/seats?form=compact&since=${this.#version}`,
      { headers: { 'If-None-Match': `"${this.#version}"` } },
    );
    this.lost = unanswered(answer);
    const fresh = answer?.data && answer.data.version > this.#version ? answer.data : null;
    if (fresh?.changes) this.#apply(fresh.version, fresh.changes.map(({ number, status }) => [number, letters[status] ?? 'B']));
    else if (fresh) this.#take(fresh);
    return answer;
  }

  #hear({ type, data, here }: Heard): void {
    if (type === 'open' || type === 'lost') {
      this.#live = type === 'open';
      if (this.#live) this.lost = false;
      // A stream of this tab begins at this tab's version.
      this.#behind = !here;
      return;
    }
    if (this.plan === null) return;
    if (type === 'snapshot') return this.#take(JSON.parse(data) as Plan);
    if (this.#behind) return void this.refresh().then((answer) => (this.#behind = unanswered(answer)));
    const { version, changes } = JSON.parse(data) as { version: number; changes: Record<string, number[]> };
    const seats = Object.entries(changes).flatMap(([letter, numbers]) => numbers.map((n): [number, string] => [n, letter]));
    if (version > this.#version) this.#apply(version, seats);
  }

  #apply(version: number, changes: [number, string][]): void {
    this.#version = version;
    const states = [...this.states];
    for (const [number, letter] of changes) states[number - 1] = letter;
    this.states = states;
    this.onchange(changes.map(([number]) => number));
  }
  async #readAll(): Promise<Answer<unknown> | null> {
    const answer = await call<Plan>(`/api/v1/schedules/${this.schedule}/seats?form=compact`);
    this.lost = unanswered(answer);
    if (answer?.data) this.#take(answer.data);
    return answer;
  }
  #take(plan: Plan): void {
    if (plan.version < this.#version) return;
    const before = this.states;
    this.#version = plan.version;
    this.states = [...plan.states];
    if (this.plan === null) this.plan = plan;
    else this.onchange(this.states.flatMap((letter, i) => (letter === before[i] ? [] : [i + 1])));
  }
}
