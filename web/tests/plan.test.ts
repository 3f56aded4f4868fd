import { describe, expect, it } from 'vitest';
import { previewOf, readPlan } from '../src/console/plan.ts';

const sections = [{ name: 'A', rows: 2, seatsPerRow: 3 }, { name: 'B', rowLengths: [2, 4], price: 5, blocked: [{ row: 2, seats: [1, 4] }] }];

describe('a seat plan in a file', () => {
  it('is a list of sections, one date, or dates with a plan each', () => {
    expect(readPlan(JSON.stringify(sections))?.dates).toEqual([]);
    expect(readPlan(JSON.stringify({ sections }))?.plan).toEqual({ sections });
    const dates = [{ concertDate: '2027-01-01', sections }, { concertDate: '2027-01-02', sections }];
    expect(readPlan(JSON.stringify(dates))?.dates).toEqual(dates);
    expect(readPlan(dates.map((date) => JSON.stringify(date)).join('\n'))?.dates).toEqual(dates);
    expect(readPlan(JSON.stringify({ schedules: dates }))?.dates).toEqual(dates);
  });
  it('without rows, sections or JSON is refused', () => {
    for (const text of ['', 'hello', '[]', '{}', '[1]', '{"sections":[]}', '[{"name":"A"}]', '{"sections":[{"name":"A","rows":0,"seatsPerRow":2}]}']) expect([text, readPlan(text)]).toEqual([text, null]);
    expect(readPlan(JSON.stringify([{ sections }, { sections }]))).toBeNull();
  });
  it('is drawn with its numbers, prices and blocked seats', () => {
    const plan = previewOf({ sections, blocked: [1], wheelchair: [6] }, 7);
    expect(plan.sections.map(({ firstNumber, price, rows }) => [firstNumber, price, rows])).toEqual([[1, 7, [3, 3]], [7, 5, [2, 4]]]);
    expect(plan.states).toBe('BAAAAA' + 'AA' + 'BAAB');
    expect(plan.wheelchair).toEqual([6]);
  });
});
