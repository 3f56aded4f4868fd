import { expect, it } from 'vitest';
import { Draft } from '../src/console/draft.svelte.ts';
import { reachOf, stepFrom } from '../src/console/ranges.ts';

it('draft keeps what was typed while the server changes other fields', () => {
  const draft = new Draft<{ rate: number | null; notice: string }>({ rate: null, notice: '' });
  draft.value.notice = 'Back soon';
  draft.follow({ rate: 600, notice: '' });
  expect(draft.value).toEqual({ rate: 600, notice: 'Back soon' });
  expect(draft.changes).toEqual({ notice: 'Back soon' });
  // Another operator's change of the same field does not erase it either.
  draft.follow({ rate: 600, notice: 'Other' });
  expect(draft.value.notice).toBe('Back soon');
  draft.follow({ rate: 600, notice: 'Back soon' });
  expect(draft.changes).toEqual({});
  draft.follow({ rate: null, notice: '' });
  expect(draft.value).toEqual({ rate: null, notice: '' });
});
it('undone draft shows the server\'s values', () => {
  const draft = new Draft({ rate: 5 });
  draft.value.rate = 9;
  draft.undo();
  expect(draft.value.rate).toBe(5);
});
it('plus and minus land on round numbers and undo each other', () => {
  expect([1, 19, 20, 25, 195, 1000].map((n) => stepFrom(n, 1))).toEqual([2, 20, 30, 30, 200, 1100]);
  expect([2, 20, 30, 25, 200, 1100].map((n) => stepFrom(n, -1))).toEqual([1, 19, 20, 20, 190, 1000]);
});
it('slider reaches beyond the numbers of the room', () => {
  expect(reachOf(600, null)).toBe(600);
  expect(reachOf(600, 800, 4000)).toBe(8000);
  expect(reachOf(100, 800)).toBe(2000);
});
