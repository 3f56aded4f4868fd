import { expect, it } from 'vitest';
import { changesOf } from '../src/console/sale.ts';
import { instantOf, wallOf } from '../src/console/zone.ts';

it('wall time means the instant of its zone', () => {
  expect(instantOf('2026-12-24T19:30', 'Asia/Seoul')).toBe('2026-12-24T10:30:00.000Z');
  expect(instantOf('2026-12-24T19:30', 'UTC')).toBe('2026-12-24T19:30:00.000Z');
  expect(wallOf('2026-12-24T15:00:00Z', 'Asia/Seoul')).toBe('2026-12-25T00:00');
});
it('wall time around a change of the clock means one instant', () => {
  // Berlin skips 02:00–03:00 on 29 March and repeats it on 25 October 2026.
  expect(instantOf('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  expect(instantOf('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  expect(instantOf('2026-10-25T03:30', 'Europe/Berlin')).toBe('2026-10-25T02:30:00.000Z');
});
it('change names only touched fields, and an emptied time is null', () => {
  expect(changesOf({ opens: '', perUser: null, capacity: 5 }, 'UTC')).toEqual({ concert: { bookingOpenAt: null, maxSeatsPerUser: null }, room: { capacity: 5 } });
});
