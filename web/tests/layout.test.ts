import { describe, expect, it } from 'vitest';
import { linesOf, nearest, neighbour, seatAt, seatsOf, type Plan } from '../src/seats/layout.ts';

const plan: Plan = {
  scheduleId: 1,
  version: 1,
  wheelchair: [],
  sections: [
    { name: 'R', firstNumber: 1, price: 10, rows: [4, 6] },
    { name: 'S', firstNumber: 11, price: 5, rows: [5] },
  ],
  states: 'A'.repeat(15),
};
const with_ = (taken: number[]) => [...plan.states].map((letter, i) => (taken.includes(i + 1) ? 'S' : letter));

describe('a seat number', () => {
  it('maps to its section, row and index', () => {
    expect(seatAt(plan, 1)).toMatchObject({ section: 0, row: 1, place: 1, price: 10 });
    expect(seatAt(plan, 5)).toMatchObject({ section: 0, row: 2, place: 1 });
    expect(seatAt(plan, 15)).toMatchObject({ section: 1, row: 1, place: 5, price: 5 });
    expect(seatAt(plan, 16)).toBeNull();
  });
  it('appears once in the list of its section', () =>
    expect([...seatsOf(plan, 0), ...seatsOf(plan, 1)].map((seat) => seat.number)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1)));
});

describe('the nearest seats', () => {
  it('are beside the taken one', () => expect(nearest(plan, with_([2]), [2])).toEqual([1]));
  it('stay adjacent if two were wanted', () => expect(nearest(plan, with_([1, 2]), [1, 2])).toEqual([3, 4]));
  it('are in the next row when the row is full, in the next section when the section is', () => {
    expect(nearest(plan, with_([1, 2, 3, 4]), [2])).toEqual([6]);
    expect(nearest(plan, with_([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [2])).toEqual([12]);
  });
  it('is one seat if no two are adjacent, and none if all are taken', () => {
    const odd = [...plan.states].map((_, i) => (i % 2 === 0 ? 'A' : 'S'));
    expect(nearest(plan, odd, [1, 2])).toHaveLength(1);
    expect(nearest(plan, with_(Array.from({ length: 15 }, (_, i) => i + 1)), [3])).toEqual([]);
  });
});

describe('the arrow keys', () => {
  it('move along a row and stop at its ends', () => {
    expect(neighbour(plan, 1, 'ArrowLeft')).toBe(1);
    expect(neighbour(plan, 1, 'ArrowRight')).toBe(2);
    expect(neighbour(plan, 4, 'ArrowRight')).toBe(4);
    expect(neighbour(plan, 2, 'End')).toBe(4);
  });
  it('move straight between rows of different length', () => {
    expect(neighbour(plan, 1, 'ArrowDown')).toBe(6);
    expect(neighbour(plan, 6, 'ArrowUp')).toBe(1);
    expect(neighbour(plan, 6, 'ArrowDown')).toBe(6);
  });
});

describe('a hall of one long row', () => {
  const long: Plan = { ...plan, sections: [{ name: 'A', firstNumber: 1, price: 1, rows: [100] }], states: 'A'.repeat(100) };
  it('is drawn folded, and arrow keys follow the drawing', () => {
    expect(linesOf(long.sections[0]!)).toEqual([33, 33, 34]);
    expect(neighbour(long, 1, 'ArrowDown')).toBe(34);
    expect(neighbour(long, 33, 'ArrowRight')).toBe(33);
    expect(seatAt(long, 34)).toMatchObject({ row: 1, place: 34 });
  });
});
