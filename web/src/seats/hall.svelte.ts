// The seats of one date, kept current by the stream, or by polling for changes without one.
import { call, unanswered, type Answer } from '../lib/api.ts';
import { every } from '../lib/every.ts';
import type { Plan } from './layout.ts';

const letters: Record<string, string> = { AVAILABLE: 'A', HELD: 'H', ASSIGNED: 'S', BLOCKED: 'B' };
// Poll interval without a stream; with one, a slow poll in case a proxy blocks it.
const askEvery = 1000;
const askAnyway = 15_000;
// Delay before a broken stream is reopened, with jitter.
const listenAgain = () => 2000 + Math.random() * 3000;

export class Hall {
  plan = $state.raw<Plan | null>(null);
  // One letter per seat; replaced as a whole, so that one change is one redraw.
  states = $state.raw<string[]>([]);
  lost = $state(false);
  #version = 0;
  #source: EventSource | null = null;
  #live = false;
  #asked = 0;
  #listenAt = 0;

  constructor(
    readonly schedule: number,
    readonly onchange: (numbers: number[]) => void,
  ) {}

  // Keeps the seats current while the page is visible; returns a function that stops it.
  watch(): () => void {
    const stop = every(askEvery, async () => {
      const answer = !this.#live || Date.now() - this.#asked >= askAnyway ? await this.refresh() : null;
      if (this.plan !== null && this.#source === null && Date.now() >= this.#listenAt) this.#listen();
      return answer;
    });
    return () => {
      stop();
      this.#unlisten(Infinity);
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

  #listen(): void {
    if (!('EventSource' in globalThis) || this.#listenAt === Infinity) return;
    const source = new EventSource(`/api/v1/schedules/${this.schedule}/seats/stream?since=${this.#version}`);
    this.#source = source;
    source.onopen = () => {
      this.#live = true;
      this.lost = false;
    };
    source.onerror = () => this.#unlisten(Date.now() + listenAgain());
    source.addEventListener('reconnect', () => this.#unlisten(Date.now() + listenAgain()));
    source.addEventListener('seats', (event: MessageEvent<string>) => {
      const { version, changes } = JSON.parse(event.data) as { version: number; changes: Record<string, number[]> };
      const seats = Object.entries(changes).flatMap(([letter, numbers]) => numbers.map((n): [number, string] => [n, letter]));
      if (version > this.#version) this.#apply(version, seats);
    });
    source.addEventListener('snapshot', (event: MessageEvent<string>) => this.#take(JSON.parse(event.data) as Plan));
  }
  #unlisten(again: number): void {
    this.#source?.close();
    this.#source = null;
    this.#live = false;
    this.#listenAt = again;
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
