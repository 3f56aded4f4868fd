// Board and period, stored in the address, so that a link can be shared.
export const boards = ['concerts', 'schedules', 'top', 'progress'] as const;
export const windows = ['daily', 'weekly', 'monthly', 'all'] as const;
export type Board = (typeof boards)[number];
export type Window = (typeof windows)[number];
export interface Choice {
  board: Board;
  window: Window;
  at: string; // "2026-11-15", or "" for today
}

// Boards of dates have no window of all time.
export const windowsOf = (board: Board): readonly Window[] => (board === 'schedules' ? windows.filter((window) => window !== 'all') : windows);

// "9999-99-99" is no day: it cannot be shown.
const isDay = (day: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));

const known = <T extends string>(list: readonly T[], value: string | null): T | undefined => list.find((each) => each === value);

export function readChoice(search: string): Choice {
  const query = new URLSearchParams(search);
  const at = query.get('at') ?? '';
  return possible({
    board: known(boards, query.get('board')) ?? 'concerts',
    window: known(windows, query.get('window')) ?? 'daily',
    at: isDay(at) ? at : '',
  });
}

// The choice with a window that its board has.
export const possible = (choice: Choice): Choice => (windowsOf(choice.board).includes(choice.window) ? choice : { ...choice, window: 'monthly' });

export function writeChoice(choice: Choice): string {
  const query = new URLSearchParams({ board: choice.board, window: choice.window });
  if (choice.at) query.set('at', choice.at);
  return `?${query}`;
}

export function address(choice: Choice, topN = 100): string {
  const at = choice.at && choice.window !== 'all' ? `&at=${choice.at}` : '';
  const base = '/api/v1/rankings';
  if (choice.board === 'top') return `${base}/soldout/top?topN=${Math.min(topN, 100)}`;
  if (choice.board === 'progress') return `${base}/progress?by=schedule&topN=${topN}`;
  return `${base}/soldout${choice.board === 'schedules' ? '/schedules' : ''}?window=${choice.window}${at}&topN=${topN}`;
}

// Monday and Sunday of a day's week. Like the server's weeks (ISO 8601), a week belongs to the month of its Thursday.
export interface Week {
  month: string; // "2026-11"
  nth: number; // in its month, from 1
  first: string;
  last: string;
}
export function weekOf(day: string): Week {
  const at = (by: number): string => {
    const date = new Date(`${day}T00:00:00Z`);
    date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7) + by);
    return date.toISOString().slice(0, 10);
  };
  const thursday = at(3);
  return { month: thursday.slice(0, 7), nth: Math.ceil(Number(thursday.slice(8)) / 7), first: at(0), last: at(6) };
}

// The day one window earlier or later; a month keeps the day if it exists.
export function step(day: string, window: Window, by: 1 | -1): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (window === 'monthly') {
    const wanted = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + by);
    date.setUTCDate(Math.min(wanted, new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()));
  } else {
    date.setUTCDate(date.getUTCDate() + by * (window === 'weekly' ? 7 : 1));
  }
  return date.toISOString().slice(0, 10);
}

// Movement of each row since the last reading: ranks up (+) or down (-), or 'new'.
export function movements(before: string[] | null, after: string[]): Map<string, number | 'new'> {
  const moved = new Map<string, number | 'new'>();
  if (before === null) return moved;
  const old = new Map(before.map((id, place) => [id, place]));
  after.forEach((id, place) => {
    const was = old.get(id);
    if (was === undefined) moved.set(id, 'new');
    else if (was !== place) moved.set(id, was - place);
  });
  return moved;
}
