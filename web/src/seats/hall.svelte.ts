// The seats of one date as the server has them, kept fresh by asking for what changed since.
import { call } from '../lib/api.ts';
import type { Plan } from './layout.ts';

const letters: Record<string, string> = { AVAILABLE: 'A', HELD: 'H', ASSIGNED: 'S', BLOCKED: 'B' };

export class Hall {
  plan = $state.raw<Plan | null>(null);
  // One letter per seat; replaced as a whole, so that one change is one redraw.
  states = $state.raw<string[]>([]);
  lost = $state(false);
  #version = 0;

  constructor(
    readonly schedule: number,
    readonly onchange: (numbers: number[]) => void,
  ) {}

  async refresh(): Promise<void> {
    if (this.plan === null) return this.#readAll();
    const answer = await call<{ version: number; changes?: { number: number; status: string }[] } & Plan>(
      `/api/v1/schedules/${this.schedule}/seats?form=compact&since=${this.#version}`,
      { headers: { 'If-None-Match': `"${this.#version}"` } },
    );
    this.lost = answer === null;
    if (!answer?.data || answer.data.version === this.#version) return;
    if (!answer.data.changes) return this.#take(answer.data);
    this.#version = answer.data.version;
    const states = [...this.states];
    for (const { number, status } of answer.data.changes) states[number - 1] = letters[status] ?? 'B';
    this.states = states;
    this.onchange(answer.data.changes.map((change) => change.number));
  }

  async #readAll(): Promise<void> {
    const answer = await call<Plan>(`/api/v1/schedules/${this.schedule}/seats?form=compact`);
    this.lost = answer === null;
    if (answer?.data) this.#take(answer.data);
  }
  #take(plan: Plan): void {
    this.#version = plan.version;
    this.states = [...plan.states];
    this.plan = plan;
  }
}
