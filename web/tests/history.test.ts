import { expect, it } from 'vitest';
import { chartOf, type Point } from '../src/console/history.svelte.ts';
import { markOf } from '../src/console/marks.ts';

const point = (seconds: number, of: Partial<Point>): Point => ({
  at: new Date(seconds * 1000).toISOString(), arrivals: 0, admissions: 0, waiting: 0, entered: 0, held: 0, sold: 0, revenue: 0, refused: 0, declined: 0, expired: 0, p99Ms: null, ...of,
});

it('counts of the series become rates per minute, also after a span without change', () => {
  const { times, lines } = chartOf([point(0, {}), point(5, { arrivals: 10, waiting: 10 }), point(60, { arrivals: 10, waiting: 10 }), point(65, { arrivals: 15, held: 2, sold: 1 })], 66_000);
  expect(times).toEqual([0, 5, 60, 65]);
  expect(lines.arrivals).toEqual([null, 120, 0, 60]);
  expect(lines.waiting).toEqual([0, 10, 10, 0]);
  expect(lines.sold.at(-1)).toBe(3);
});
it('expired holds and the response time are curves of the whole sale', () => {
  const { lines } = chartOf([point(0, { p99Ms: 2.5 }), point(30, { expired: 3, p99Ms: null }), point(60, { expired: 3, p99Ms: 10 })], 61_000);
  expect([lines.expired, lines.p99]).toEqual([[null, 6, 0], [2.5, null, 10]]);
});
it('last point of a quiet sale is drawn until now', () => {
  const { times, lines } = chartOf([point(0, { waiting: 4 })], 100_000);
  expect([times, lines.waiting, lines.arrivals]).toEqual([[0, 100], [4, 4], [null, 0]]);
});
it('actions of operators become marks', () => {
  const kind = (action: string, detail: string) => markOf({ at: '2026-01-01T00:00:00Z', action, detail })?.kind;
  expect(kind('room.configure', '{"state":"paused"}')).toBe('paused');
  expect(kind('room.configure', '{"notice":"Back soon"}')).toBe('notice');
  expect(kind('room.configure', '{"ratePerMinute":7}')).toBe('rate');
  expect(kind('concert.cancel', '')).toBe('cancelled');
  expect(kind('room.configure', 'x')).toBeUndefined();
});
