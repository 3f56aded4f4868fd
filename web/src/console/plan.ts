// Seat plans as operators upload them: read from a file, and drawn before they are saved. Pure functions.
import type { components } from '../../generated/api.ts';
import type { Plan, SectionInfo } from '../seats/layout.ts';

export type NewSchedule = components['schemas']['NewSchedule'];
export type NewSection = components['schemas']['NewSection'];
// The seats of a date, without its date.
export type SeatPlan = Pick<NewSchedule, 'sections' | 'blocked' | 'wheelchair'>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // One date on each line.
    return text.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);
  }
}

// What a file has: a plan for every date, or dates with a plan each. Null: it has neither.
export function readPlan(text: string): { plan: SeatPlan; dates: NewSchedule[] } | null {
  let value: unknown;
  try {
    value = parsed(text);
  } catch {
    return null;
  }
  const rows = Array.isArray(value) ? value : isObject(value) && Array.isArray(value['schedules']) ? value['schedules'] : [value];
  if (rows.length === 0 || !rows.every(isObject)) return null;
  if (rows.every((row) => 'name' in row)) return checked({ sections: rows as unknown as NewSection[] }, []);
  const dates = rows as unknown as NewSchedule[];
  if (!dates.every((date) => Array.isArray(date.sections))) return null;
  const first = dates[0] as NewSchedule;
  const plan: SeatPlan = { sections: first.sections ?? [], ...(first.blocked && { blocked: first.blocked }), ...(first.wheelchair && { wheelchair: first.wheelchair }) };
  const dated = dates.filter((date) => typeof date.concertDate === 'string');
  // Several plans without dates cannot be told apart.
  if (dated.length !== dates.length && dates.length > 1) return null;
  return checked(plan, dated);
}

function checked(plan: SeatPlan, dates: NewSchedule[]): { plan: SeatPlan; dates: NewSchedule[] } | null {
  const complete = (each: SeatPlan) => (each.sections ?? []).length > 0 && (each.sections ?? []).every((section) => rowsOf(section).length > 0);
  return complete(plan) && dates.every(complete) ? { plan, dates } : null;
}

const mostRows = 100_000;
export function rowsOf(section: NewSection): number[] {
  if (Array.isArray(section.rowLengths)) return section.rowLengths.filter((size) => Number.isInteger(size) && size > 0).slice(0, mostRows);
  const [rows, size] = [Number(section.rows) || 0, Number(section.seatsPerRow) || 0];
  return rows > 0 && size > 0 && rows <= mostRows ? Array.from({ length: rows }, () => size) : [];
}

// The plan as the maps of fans and operators draw it.
export function previewOf(plan: SeatPlan, price: number): Plan {
  let number = 1;
  const sections: SectionInfo[] = (plan.sections ?? []).map((section) => {
    const info: SectionInfo = { name: section.name, firstNumber: number, price: section.price ?? price, rows: rowsOf(section) };
    if (section.shape) info.shape = section.shape;
    number += info.rows.reduce((sum, size) => sum + size, 0);
    return info;
  });
  const places = (field: 'blocked' | 'wheelchair') => [
    ...(plan[field] ?? []),
    ...(plan.sections ?? []).flatMap((section, index) => {
      const info = sections[index] as SectionInfo;
      return (section[field] ?? []).flatMap(({ row, seats }) => {
        const before = info.rows.slice(0, row - 1).reduce((sum, size) => sum + size, 0);
        return seats.map((seat) => info.firstNumber + before + seat - 1);
      });
    }),
  ];
  const states = Array.from({ length: number - 1 }, () => 'A');
  for (const blocked of places('blocked')) if (blocked < number) states[blocked - 1] = 'B';
  return { scheduleId: 0, version: 0, sections, wheelchair: places('wheelchair'), states: states.join('') };
}
