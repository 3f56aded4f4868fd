import { flushSync } from 'svelte';
import { expect, it, vi } from 'vitest';
import { every } from '../src/lib/every.ts';
import { counting } from './counting.svelte.ts';

it('works now, at its interval, and not after it was stopped', async () => {
  vi.useFakeTimers();
  let n = 0;
  const stop = every(1000, () => n++);
  await Promise.resolve();
  expect(n).toBe(1);
  vi.advanceTimersByTime(3000);
  expect(n).toBe(4);
  stop();
  vi.advanceTimersByTime(3000);
  expect(n).toBe(4);
  vi.useRealTimers();
});

it('an effect does not depend on what the work reads: no storm of requests', async () => {
  const { effects, calls, destroy } = counting(every);
  for (let i = 0; i < 5; i++) {
    await Promise.resolve();
    flushSync();
  }
  expect([effects(), calls()]).toEqual([1, 1]);
  destroy();
});
