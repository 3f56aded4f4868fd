import { defineConfig } from 'vitest/config';

// The real program in a real browser. Most of a journey is waiting for a clock, so that several share a machine well;
// there is time enough for each on a busy one.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    maxWorkers: 2,
    maxConcurrency: 3,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    cache: false,
  },
});
