// What the waiting page decides, without the page: pure functions of what the server said.
import type { Concert, Entry } from '../lib/contract.ts';

export type View = 'loading' | 'before' | 'waiting' | 'turn' | 'entered' | 'missed' | 'closed' | 'sold-out' | 'left' | 'missing';

export interface Known {
  concert: Concert | null;
  // The server says that there is no such concert.
  missing: boolean;
  entry: Entry | null;
  roomState: Entry['state'] | null;
  // Why there is no entry although there was one.
  ended: 'missed' | 'left' | null;
}

export function viewOf({ concert, missing, entry, roomState, ended }: Known): View {
  if (concert === null) return missing ? 'missing' : 'loading';
  if (entry !== null) {
    if (entry.status === 'entered') return 'entered';
    if (entry.state === 'closed') return 'closed';
    return entry.status === 'ready' ? 'turn' : 'waiting';
  }
  if (concert.status === 'CANCELLED' || concert.status === 'CLOSED' || roomState === 'closed') return 'closed';
  if (concert.status === 'SOLD_OUT') return 'sold-out';
  return ended ?? 'before';
}

// How many are ahead is unknown before the draw; later only to a server that has just lost it, and then what was said before stands.
export function withRank(entry: Entry, before: Entry | null): Entry {
  if (entry.aheadCount !== null || entry.state === 'pre-queue' || before?.number !== entry.number) return entry;
  return { ...entry, rank: before.rank, aheadCount: before.aheadCount, position: before.position };
}

// May a fan join now, or does the page wait for the opening and join then?
export const joinable = (state: Entry['state'] | null): boolean => state === 'open' || state === 'pre-queue' || state === 'paused';

// How far through the line, 0…1, measured from where this fan started.
export function progress(first: number, ahead: number): number {
  if (ahead <= 0) return 1;
  return first <= 0 ? 0 : Math.max(0, Math.min(1, 1 - ahead / Math.max(first, ahead)));
}

// A wait in honest steps: nobody knows the seconds of a half hour.
export function roundWait(seconds: number): { unit: 'second' | 'minute' | 'hour'; n: number; m: number } {
  if (seconds < 55) return { unit: 'second', n: Math.max(5, Math.ceil(seconds / 5) * 5), m: 0 };
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  if (minutes < 60) return { unit: 'minute', n: minutes < 15 ? minutes : Math.ceil(minutes / 5) * 5, m: 0 };
  return { unit: 'hour', n: Math.floor(minutes / 60), m: Math.ceil((minutes % 60) / 10) * 10 };
}

// Listeners of a screen reader hear milestones, not ticks: every halving, the last ten, and once a minute.
export function worthSaying(said: number | null, ahead: number, secondsSince: number): boolean {
  if (said === null) return true;
  if (said === ahead) return false;
  return ahead <= said / 2 || (ahead <= 10 && said > 10) || secondsSince >= 60;
}

// When to ask again after `failures` lost calls: the server's interval, then longer, never in step with the others, and never
// before the time the server asked for.
export function nextPoll(pollAfterMs: number, failures: number, random: number, retryAfterMs = 0): number {
  const base = Math.max(500, Math.min(pollAfterMs, 60_000));
  const backoff = failures === 0 ? base : Math.min(15_000, 1000 * 2 ** Math.min(failures, 4));
  return Math.max(backoff * (0.85 + random * 0.3), retryAfterMs * (1 + random * 0.3));
}
