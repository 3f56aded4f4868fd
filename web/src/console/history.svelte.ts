// The whole sale as the server keeps it, so that a reload or another operator sees the same night.
import type { components } from '../../generated/api.ts';
import { admin } from './admin.ts';
import { markOf, type Mark } from './marks.ts';

export type Series = components['schemas']['SaleSeries'];
export type Point = Series['points'][number];
export const curves = ['arrivals', 'admitted', 'waiting', 'entered', 'sold', 'revenue', 'refused', 'declined', 'expired', 'p99'] as const;
export type Curve = (typeof curves)[number];

export interface Chart {
  times: number[]; // seconds since 1970
  lines: Record<Curve, (number | null)[]>;
}
// Counts that grow become rates per minute. A sale without a change gets no point, so the chart repeats the last point at its right edge.
export function chartOf(points: Point[], now: number): Chart {
  const last = points.at(-1);
  const all = last && Date.parse(last.at) < now - 5000 ? [...points, { ...last, at: new Date(now).toISOString() }] : points;
  const times = all.map(({ at }) => Date.parse(at) / 1000);
  const rate = (of: (point: Point) => number) =>
    all.map((point, i) => {
      const [before, span] = [all[i - 1], (times[i] as number) - (times[i - 1] ?? 0)];
      return before && span > 0 ? Math.max(0, ((of(point) - of(before)) / span) * 60) : null;
    });
  return {
    times,
    lines: {
      arrivals: rate((point) => point.arrivals),
      admitted: rate((point) => point.admissions),
      waiting: all.map((point) => point.waiting),
      entered: all.map((point) => point.entered),
      sold: all.map((point) => point.held + point.sold),
      revenue: all.map((point) => point.revenue),
      refused: rate((point) => point.refused),
      declined: rate((point) => point.declined),
      expired: rate((point) => point.expired),
      p99: all.map((point) => point.p99Ms),
    },
  };
}

export class History {
  chart = $state.raw<Chart>(chartOf([], 0));
  marks = $state.raw<Mark[]>([]);
  #points: Point[] = [];
  #marked: Series['marks'] = [];
  #opened: string | null = null;

  constructor(readonly event: string) {}

  async read(): Promise<void> {
    const newest = this.#points.at(-1)?.at ?? '';
    const told = this.#marked.at(-1)?.at ?? '';
    const after = newest && told ? (newest < told ? newest : told) : newest;
    const answer = await admin<Series>(`/api/v1/concerts/${this.event}/series${after ? `?after=${encodeURIComponent(after)}` : ''}`);
    if (!answer?.data) return;
    const { points, marks, openedAt } = answer.data;
    this.#points = [...this.#points, ...points.filter(({ at }) => at > newest)];
    this.#marked = [...this.#marked, ...marks.filter(({ at }) => at > told)];
    this.#opened = openedAt;
    this.chart = chartOf(this.#points, Date.now());
    const opened: Mark[] = this.#opened ? [{ at: Date.parse(this.#opened) / 1000, kind: 'opening', text: '' }] : [];
    this.marks = [...opened, ...this.#marked.flatMap((each) => markOf(each) ?? [])].sort((a, b) => a.at - b.at);
  }
}
