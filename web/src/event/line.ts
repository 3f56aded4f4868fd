// Decisions of the waiting page: pure functions of the server's answers.
import type { Concert, Entry } from '../lib/contract.ts';

export type View = 'loading' | 'before' | 'waiting' | 'turn' | 'entered' | 'missed' | 'sessionOver' | 'closed' | 'cancelled' | 'sold-out' | 'left' | 'missing';

export interface Known {
  concert: Concert | null;
  // The server answered that the concert does not exist.
  missing: boolean;
  entry: Entry | null;
  roomState: Entry['state'] | null;
  // How those that come before the opening are ordered.
  order: 'draw' | 'arrival';
  // Why the entry ended; `sessionOver`: on the seats page.
  ended: 'missed' | 'sessionOver' | 'left' | null;
}

export function viewOf({ concert, missing, entry, roomState, ended }: Known): View {
  if (concert === null) return missing ? 'missing' : 'loading';
  if (concert.status === 'CANCELLED' || entry?.ended === 'cancelled') return 'cancelled';
  if (entry !== null) {
    if (entry.status === 'entered') return 'entered';
    // All seats are paid: the place is kept, because a seat may return.
    if (entry.ended === 'sold-out') return 'sold-out';
    if (entry.state === 'closed') return 'closed';
    return entry.status === 'ready' ? 'turn' : 'waiting';
  }
  if (concert.status === 'SOLD_OUT') return 'sold-out';
  if (concert.status === 'CLOSED' || (roomState === 'closed' && concert.room !== 'none')) return 'closed';
  return ended ?? 'before';
}

// Whether a fan may join now; otherwise the page joins at the opening.
export const joinable = (state: Entry['state'] | null): boolean => state === 'open' || state === 'pre-queue' || state === 'paused';

// Progress through the line, 0…1, from this fan's first position.
export function progress(first: number, ahead: number): number {
  if (ahead <= 0) return 1;
  return first <= 0 ? 0 : Math.max(0, Math.min(1, 1 - ahead / Math.max(first, ahead)));
}

// Rounds a wait to steps that match its precision.
export function roundWait(seconds: number): { unit: 'second' | 'minute' | 'hour'; n: number; m: number } {
  if (seconds < 55) return { unit: 'second', n: Math.max(5, Math.ceil(seconds / 5) * 5), m: 0 };
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  if (minutes < 60) return { unit: 'minute', n: minutes < 15 ? minutes : Math.ceil(minutes / 5) * 5, m: 0 };
  return { unit: 'hour', n: Math.floor(minutes / 60), m: Math.ceil((minutes % 60) / 10) * 10 };
}

// Announcements for screen readers: every halving, the last ten, and once a minute.
export function worthSaying(said: number | null, ahead: number, secondsSince: number): boolean {
  if (said === null) return true;
  if (said === ahead) return false;
  return ahead <= said / 2 || (ahead <= 10 && said > 10) || secondsSince >= 60;
}
