// Decisions of the waiting page: pure functions of the server's answers.
import type { Concert, Entry } from '../lib/contract.ts';

export type View = 'loading' | 'before' | 'waiting' | 'turn' | 'entered' | 'missed' | 'closed' | 'cancelled' | 'sold-out' | 'left' | 'missing';

export interface Known {
  concert: Concert | null;
  // The server answered that the concert does not exist.
  missing: boolean;
  entry: Entry | null;
  roomState: Entry['state'] | null;
  // Why the entry ended.
  ended: 'missed' | 'left' | null;
}

export function viewOf({ concert, missing, entry, roomState, ended }: Known): View {
  if (concert === null) return missing ? 'missing' : 'loading';
  if (concert.status === 'CANCELLED' || entry?.ended === 'cancelled') return 'cancelled';
  if (entry !== null) {
    if (entry.status === 'entered') return 'entered';
    if (entry.state === 'closed') return entry.ended === 'sold-out' ? 'sold-out' : 'closed';
    return entry.status === 'ready' ? 'turn' : 'waiting';
  }
  if (concert.status === 'SOLD_OUT') return 'sold-out';
  if (concert.status === 'CLOSED' || (roomState === 'closed' && concert.room !== 'none')) return 'closed';
  return ended ?? 'before';
}

// The count ahead is unknown before the draw, and for a moment after a loss; then the last known count is shown.
export function withRank(entry: Entry, before: Entry | null): Entry {
  if (entry.aheadCount !== null || entry.state === 'pre-queue' || entry.state === 'scheduled' || before?.number !== entry.number) return entry;
  return { ...entry, rank: before.rank, aheadCount: before.aheadCount, position: before.position };
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

// Delay of the next poll after `failures` lost calls: the server's interval, then exponential back-off, with jitter, and never
// before `Retry-After`.
export function nextPoll(pollAfterMs: number, failures: number, random: number, retryAfterMs = 0): number {
  const base = Math.max(500, Math.min(pollAfterMs, 60_000));
  const backoff = failures === 0 ? base : Math.min(15_000, 1000 * 2 ** Math.min(failures, 4));
  return Math.max(backoff * (0.85 + random * 0.3), retryAfterMs * (1 + random * 0.3));
}
