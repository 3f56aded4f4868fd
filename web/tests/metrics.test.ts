import { expect, it } from 'vitest';
import { minutesToFinish, parseMetrics, quantile, sum } from '../src/console/metrics.ts';

const text = (a: number, b: number, c: number) => `# HELP t x
t_bucket{route="/a",le="0.01"} ${a}
t_bucket{route="/a",le="0.1"} ${b}
t_bucket{route="/a",le="+Inf"} ${c}
n_total{route="/a",status="200"} 3
n_total{route="/b",status="200"} 4
`;

it('adds up samples by label', () => {
  expect(sum(parseMetrics(text(0, 0, 0)), 'n_total')).toBe(7);
  expect(sum(parseMetrics(text(0, 0, 0)), 'n_total', { route: '/b' })).toBe(4);
  expect(sum(parseMetrics(''), 'n_total')).toBe(0);
});

it('p99 covers only samples between two readings', () => {
  const before = parseMetrics(text(100, 100, 100));
  expect(quantile(before, parseMetrics(text(200, 200, 200)), 't', 0.99)).toBe(0.01);
  expect(quantile(before, parseMetrics(text(100, 110, 110)), 't', 0.99)).toBe(0.1);
  expect(quantile(before, parseMetrics(text(100, 100, 110)), 't', 0.99)).toBe(0.1);
  expect(quantile(before, before, 't', 0.99)).toBeNull();
});

it('line without admissions never becomes empty', () => {
  expect(minutesToFinish(600, 60)).toBe(10);
  expect(minutesToFinish(600, 0)).toBeNull();
  expect(minutesToFinish(600, null)).toBeNull();
  expect(minutesToFinish(0, null)).toBe(0);
});

it('forecast counts the fans that still arrive', () => {
  expect(minutesToFinish(600, 60, 30)).toBe(20);
  expect(minutesToFinish(600, 60, 60)).toBeNull();
});
