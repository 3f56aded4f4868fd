import { expect, it } from 'vitest';
import { minutesToFinish, parseMetrics, sum } from '../src/console/metrics.ts';

const text = `# HELP n_total x
n_total{route="/a",status="200"} 3
n_total{route="/b",status="200"} 4
`;

it('adds up samples by label', () => {
  expect(sum(parseMetrics(text), 'n_total')).toBe(7);
  expect(sum(parseMetrics(text), 'n_total', { route: '/b' })).toBe(4);
  expect(sum(parseMetrics(''), 'n_total')).toBe(0);
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
