import { defineConfig } from 'vitest/config';

// The real program in a real browser. Journeys mostly wait, so several run at once. Timeouts are long enough for a busy machine.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    maxWorkers: 2,
    maxConcurrency: 3,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    cache: false,
  },
});
