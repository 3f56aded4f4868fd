import { defineConfig } from 'vitest/config';

// The real program in a real browser: one test at a time, and time enough on a busy machine.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    cache: false,
  },
});
