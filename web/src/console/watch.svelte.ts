// What only this browser measures: one reading per second for the last ten minutes. The server keeps the rest (history.svelte.ts).
import { call, unanswered } from '../lib/api.ts';
import type { Concert } from '../lib/contract.ts';
import { admin } from './admin.ts';
import { parseMetrics, quantile, sum, type Metrics } from './metrics.ts';

export interface Room {
  state: string;
  capacity: number;
  admission: string;
  ratePerMinute: number | null;
  floating: { minPerMinute: number; maxPerMinute: number } | null;
  notice: string | null;
  waiting: number;
  entered: number;
  serving: number;
  lastNumber: number;
}
export const series = ['expired', 'p99'] as const;
export type Series = (typeof series)[number];
const kept = 600;
const expiries = 'maejin_booking_holds_expired_total';

export class Watch {
  room = $state<Room | null>(null);
  concert = $state<Concert | null>(null);
  lost = $state(false);
  missing = $state(false);
  // Seconds since 1970, and one list per curve.
  times = $state.raw<number[]>([]);
  lines = $state.raw<Record<Series, (number | null)[]>>({ expired: [], p99: [] });
  // Entered per minute, measured over the last half minute.
  pace = $state<number | null>(null);
  // Joined per minute, over the same time.
  arriving = $state(0);
  #metrics: Metrics | null = null;
  #numbers: { at: number; last: number; serving: number }[] = [];

  constructor(readonly event: string) {}

  async read(): Promise<void> {
    const [room, concert, text] = await Promise.all([
      admin<Room>(`/api/v1/rooms/${this.event}`),
      call<Concert>(`/api/v1/concerts/${this.event}`),
      fetch('/metrics').then((answer) => answer.text(), () => null),
    ]);
    this.lost = unanswered(room);
    this.missing = concert?.status === 404;
    if (room?.data) this.room = room.data;
    if (concert?.data) this.concert = concert.data;
    if (this.room && this.concert && text !== null) this.#note(this.room, parseMetrics(text));
  }

  #note(room: Room, metrics: Metrics): void {
    const at = Date.now() / 1000;
    const before = this.#numbers.at(-1);
    const span = before ? Math.max(0.2, at - before.at) : 1;
    const rate = (now: number, then: number | undefined) => (then === undefined ? null : Math.max(0, (now - then) / span));
    const expired = (of: Metrics) => sum(of, expiries);
    const p99 = this.#metrics ? quantile(this.#metrics, metrics, 'maejin_http_request_duration_seconds', 0.99) : null;
    const values: Record<Series, number | null> = {
      // Unknown, not zero, if the server does not count them.
      expired: this.#metrics && metrics.has(expiries) ? rate(expired(metrics), expired(this.#metrics)) : null,
      p99: p99 === null ? null : p99 * 1000,
    };
    this.times = [...this.times, at].slice(-kept);
    this.lines = Object.fromEntries(series.map((name) => [name, [...this.lines[name], values[name]].slice(-kept)])) as typeof this.lines;
    this.#metrics = metrics;
    this.#numbers = [...this.#numbers, { at, last: room.lastNumber, serving: room.serving }].slice(-30);
    const first = this.#numbers[0];
    const since = first && at - first.at >= 3 ? (at - first.at) / 60 : null;
    this.pace = first && since ? (room.serving - first.serving) / since : null;
    this.arriving = first && since ? Math.max(0, room.lastNumber - first.last) / since : 0;
  }
}
