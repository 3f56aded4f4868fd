import { expect, it } from 'vitest';
import { numbersOf, rangesOf } from '../src/console/ranges.ts';

it('seat ranges are parsed', () => {
  expect(numbersOf('1-3, 7', 10)).toEqual([1, 2, 3, 7]);
  expect(numbersOf('7,7, 6-8', 10)).toEqual([6, 7, 8]);
});
it('numbers outside the hall are ignored', () => {
  expect(numbersOf('0, -4, x, 9-40, 100', 10)).toEqual([9, 10]);
  expect(numbersOf('', 10)).toEqual([]);
});
it('seat ranges are formatted as they are parsed', () => {
  expect(rangesOf([7, 1, 3, 2])).toBe('1-3, 7');
  expect(rangesOf([])).toBe('');
});
