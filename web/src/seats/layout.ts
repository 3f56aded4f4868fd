// The layout of seats in sections and rows, for the map and for "nearest". Pure functions.
export interface SectionInfo {
  name: string;
  firstNumber: number;
  price: number;
  rows: number[]; // seats in each row
  shape?: number[]; // the outline on the plan: x1, y1, x2, y2, …
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

// A long row is drawn folded, in lines of at most this many seats and of even length.
const longest = 40;
export function linesOf(section: SectionInfo): number[] {
  return section.rows.flatMap((size) => {
    const lines = Math.ceil(size / longest);
    return Array.from({ length: lines }, (_, i) => Math.floor(((i + 1) * size) / lines) - Math.floor((i * size) / lines));
  });
}
// A label for each drawn line, with its first seat. A folded row names the seats of each line.
export function rowLabels(section: SectionInfo, label: (row: number, part: string) => string): { text: string; number: number }[] {
  const lines = linesOf(section);
  let [line, number] = [0, section.firstNumber];
  return section.rows.flatMap((size, row) => {
    const found: { text: string; number: number }[] = [];
    for (let place = 1; place <= size; number += lines[line++] as number) {
      const last = place + (lines[line] as number) - 1;
      found.push({ text: label(row + 1, size === lines[line] ? '' : `${place}–${last}`), number });
      place = last + 1;
    }
    return found;
  });
}
// The drawn line and the index in it, both from 0, of the section's nth seat.
function onLine(lines: number[], nth: number): { line: number; place: number } {
  let line = 0;
  for (; line < lines.length - 1 && nth >= (lines[line] as number); line++) nth -= lines[line] as number;
  return { line, place: nth };
}

// Lines are arcs around the stage: the ends are nearer to it.
export const pitch = 24;
export interface Drawing {
  width: number;
  height: number;
  at: (number: number) => { x: number; y: number };
}
export function drawing(section: SectionInfo): Drawing {
  const lines = linesOf(section);
  const widest = Math.max(...lines);
  const bend = (offset: number) => (offset * offset) / Math.max(12, widest) / 3;
  const deepest = bend((widest - 1) / 2);
  const points: { x: number; y: number }[] = [];
  lines.forEach((size, line) => {
    for (let place = 0; place < size; place++) {
      const offset = place - (size - 1) / 2;
      points.push({ x: (widest / 2 + offset) * pitch + pitch / 2, y: (line + 0.5 + deepest - bend(offset)) * pitch });
    }
  });
  return { width: (widest + 1) * pitch, height: (lines.length + deepest + 0.5) * pitch, at: (number) => points[number - section.firstNumber] ?? { x: 0, y: 0 } };
}

// The free seats nearest to the wanted ones: the same count, adjacent if possible, same section first.
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

// The next drawn seat in a direction, for the arrow keys.
export function neighbour(plan: Plan, number: number, key: string): number {
  const section = plan.sections[seatAt(plan, number)?.section ?? -1];
  if (!section) return number;
  const lines = linesOf(section);
  const { line, place } = onLine(lines, number - section.firstNumber);
  const size = lines[line] as number;
  const at = (toLine: number, toPlace: number) => {
    const before = lines.slice(0, toLine).reduce((sum, n) => sum + n, 0);
    return section.firstNumber + before + Math.max(0, Math.min(toPlace, (lines[toLine] ?? 1) - 1));
  };
  const across = (toLine: number) => Math.round(place + ((lines[toLine] ?? 0) - size) / 2);
  if (key === 'ArrowLeft') return at(line, place - 1);
  if (key === 'ArrowRight') return at(line, place + 1);
  if (key === 'ArrowUp') return line > 0 ? at(line - 1, across(line - 1)) : number;
  if (key === 'ArrowDown') return line < lines.length - 1 ? at(line + 1, across(line + 1)) : number;
  if (key === 'Home') return at(line, 0);
  if (key === 'End') return at(line, size - 1);
  return number;
}
