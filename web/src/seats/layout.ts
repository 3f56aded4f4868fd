// Where seats are: sections of rows, numbered through. Pure; what the map draws and what "nearest" means.
export type Letter = 'A' | 'H' | 'S' | 'B'; // available, held, sold, blocked
export interface SectionInfo {
  name: string;
  firstNumber: number;
  price: number;
  rows: number[]; // seats in each row
}
export interface Plan {
  scheduleId: number;
  version: number;
  sections: SectionInfo[];
  wheelchair: number[];
  states: string; // one letter per seat, seat 1 first
}
export interface Seat {
  number: number;
  section: number;
  row: number; // from 1
  place: number; // from 1, in its row
  price: number;
}

export const seatsIn = (section: SectionInfo): number => section.rows.reduce((sum, n) => sum + n, 0);

export function seatAt(plan: Plan, number: number): Seat | null {
  for (let s = 0; s < plan.sections.length; s++) {
    const section = plan.sections[s] as SectionInfo;
    let left = number - section.firstNumber;
    if (left < 0 || left >= seatsIn(section)) continue;
    for (let row = 0; row < section.rows.length; row++) {
      const size = section.rows[row] as number;
      if (left < size) return { number, section: s, row: row + 1, place: left + 1, price: section.price };
      left -= size;
    }
  }
  return null;
}

export function seatsOf(plan: Plan, index: number): Seat[] {
  const section = plan.sections[index];
  if (!section) return [];
  const seats: Seat[] = [];
  let number = section.firstNumber;
  section.rows.forEach((size, row) => {
    for (let place = 1; place <= size; place++) seats.push({ number: number++, section: index, row: row + 1, place, price: section.price });
  });
  return seats;
}

export const available = (states: string[], number: number): boolean => states[number - 1] === 'A';

export function countAvailable(plan: Plan, states: string[], index: number): number {
  const section = plan.sections[index] as SectionInfo;
  let n = 0;
  for (let i = section.firstNumber - 1; i < section.firstNumber - 1 + seatsIn(section); i++) if (states[i] === 'A') n++;
  return n;
}

// Rows stand in arcs around the stage: each row centred, the middle of a row a little nearer than its ends.
export const pitch = 24;
export function position(section: SectionInfo, seat: Seat): { x: number; y: number } {
  const widest = Math.max(...section.rows);
  const size = section.rows[seat.row - 1] ?? widest;
  const offset = seat.place - 1 - (size - 1) / 2;
  const bend = (offset * offset) / Math.max(12, widest) / 3;
  return { x: (widest / 2 + offset) * pitch + pitch / 2, y: (seat.row - 0.5 + bend) * pitch };
}
export function extent(section: SectionInfo): { width: number; height: number } {
  const widest = Math.max(...section.rows);
  const bend = ((widest / 2) ** 2 / Math.max(12, widest)) / 3;
  return { width: (widest + 1) * pitch, height: (section.rows.length + bend + 0.5) * pitch };
}

// The free seats nearest to the wanted ones: as many, side by side in one row where that is possible, of the same section first.
export function nearest(plan: Plan, states: string[], wanted: number[]): number[] {
  const first = seatAt(plan, Math.min(...wanted));
  if (!first) return [];
  let best: { cost: number; seats: number[] } | null = null;
  plan.sections.forEach((_, index) => {
    const free = seatsOf(plan, index).filter((seat) => available(states, seat.number));
    for (let i = 0; i + wanted.length <= free.length; i++) {
      const group = free.slice(i, i + wanted.length);
      const [a, z] = [group[0] as Seat, group[group.length - 1] as Seat];
      if (a.row !== z.row || z.place - a.place !== wanted.length - 1) continue;
      const cost = Math.abs(index - first.section) * 10_000 + Math.abs(a.row - first.row) * 3 + Math.abs(a.place - first.place);
      if (best === null || cost < best.cost) best = { cost, seats: group.map((seat) => seat.number) };
    }
  });
  if (best !== null) return (best as { seats: number[] }).seats;
  return wanted.length > 1 ? nearest(plan, states, wanted.slice(0, 1)) : [];
}

// The next seat in a direction, skipping nothing: a keyboard walks the hall as it stands.
export function neighbour(plan: Plan, number: number, key: string): number {
  const seat = seatAt(plan, number);
  if (!seat) return number;
  const section = plan.sections[seat.section] as SectionInfo;
  const sizes = section.rows;
  const at = (row: number, place: number) => {
    const before = sizes.slice(0, row - 1).reduce((sum, n) => sum + n, 0);
    return section.firstNumber + before + Math.max(1, Math.min(place, sizes[row - 1] ?? 1)) - 1;
  };
  const across = (row: number) => Math.round(seat.place + ((sizes[row - 1] ?? 0) - (sizes[seat.row - 1] ?? 0)) / 2);
  if (key === 'ArrowLeft') return at(seat.row, seat.place - 1);
  if (key === 'ArrowRight') return at(seat.row, seat.place + 1);
  if (key === 'ArrowUp') return seat.row > 1 ? at(seat.row - 1, across(seat.row - 1)) : number;
  if (key === 'ArrowDown') return seat.row < sizes.length ? at(seat.row + 1, across(seat.row + 1)) : number;
  if (key === 'Home') return at(seat.row, 1);
  if (key === 'End') return at(seat.row, sizes[seat.row - 1] ?? 1);
  return number;
}
