// Size budget of each page with everything it loads, in gzipped bytes.
import type { WebFile } from './cpp.ts';

export const budgets: Record<string, number> = {
  client: 8_000,
  home: 40_000,
  event: 12_000,
  draw: 12_000,
  wait: 12_000,
  seats: 48_000,
  me: 40_000,
  rankings: 40_000,
  console: 80_000,
  docs: 80_000,
};

export function weight(html: WebFile, needed: WebFile[]): number {
  return [html, ...needed].reduce((sum, file) => sum + file.gzip.length, 0);
}

export function overBudget(page: string, language: string, html: WebFile, needed: WebFile[]): string[] {
  const total = weight(html, needed);
  const limit = budgets[page];
  if (limit === undefined) return [`${page}: has no budget`];
  return total <= limit ? [] : [`${page} (${language}) weighs ${total} bytes gzipped; its budget is ${limit}`];
}
