import { expect, it } from 'vitest';
import { numbersOf, rangesOf } from '../src/console/ranges.ts';

it('seat numbers are read as an operator writes them', () => {
  expect(numbersOf('1-3, 7', 10)).toEqual([1, 2, 3, 7]);
  expect(numbersOf('7,7, 6-8', 10)).toEqual([6, 7, 8]);
});
it('what is no seat of the hall is left out', () => {
  expect(numbersOf('0, -4, x, 9-40, 100', 10)).toEqual([9, 10]);
  expect(numbersOf('', 10)).toEqual([]);
});
it('and are written back the same way', () => {
  expect(rangesOf([7, 1, 3, 2])).toBe('1-3, 7');
  expect(rangesOf([])).toBe('');
});
