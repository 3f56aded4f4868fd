import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { every } from '../src/lib/every.ts';
import { counting } from './counting.svelte.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs now, at its interval, and not after stop', async () => {
  let n = 0;
  const stop = every(1000, () => n++);
  await Promise.resolve();
  expect(n).toBe(1);
  await vi.advanceTimersByTimeAsync(3000);
  expect(n).toBe(4);
  stop();
  await vi.advanceTimersByTimeAsync(3000);
  expect(n).toBe(4);
});

it('does not overlap runs', async () => {
  let n = 0;
  const stop = every(1000, () => new Promise((done) => setTimeout(done, 2500, n++)));
  await vi.advanceTimersByTimeAsync(2900);
  expect(n).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(n).toBe(2);
  stop();
});

it('honours Retry-After', async () => {
  let n = 0;
  const stop = every(1000, () => ({ retryAfterMs: n++ === 0 ? 5000 : 0 }));
  await vi.advanceTimersByTimeAsync(4900);
  expect(n).toBe(1);
  await vi.advanceTimersByTimeAsync(1200);
  expect(n).toBe(3);
  stop();
});

it('continues after a failed run', async () => {
  let n = 0;
  const stop = every(1000, () => (n++ === 0 ? Promise.resolve(null) : undefined));
  await vi.advanceTimersByTimeAsync(1100);
  expect(n).toBe(2);
  stop();
});

it('effect does not depend on state that the work reads', async () => {
  const { effects, calls, destroy } = counting(every);
  for (let i = 0; i < 5; i++) {
    await Promise.resolve();
    flushSync();
  }
  expect([effects(), calls()]).toEqual([1, 1]);
  destroy();
});
