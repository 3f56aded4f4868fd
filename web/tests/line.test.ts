import { describe, expect, it } from 'vitest';
import { nextPoll } from '../client/http.ts';
import { endOf, withRank } from '../client/line.ts';
import { joinable, progress, roundWait, viewOf, worthSaying, type Known } from '../src/event/line.ts';
import type { Concert, Entry } from '../src/lib/contract.ts';

const concert = { id: 1, status: 'OPEN', bookingOpenAt: '2026-11-15T10:00:00.000Z' } as Concert;
const entry = { status: 'waiting', state: 'open', aheadCount: 5, rank: 5 } as Entry;
const known = (part: Partial<Known>): Known => ({ concert, missing: false, entry: null, roomState: 'open', order: 'draw', ended: null, ...part });

describe('what the waiting page shows', () => {
  it('is the countdown or the join button before joining', () => expect(viewOf(known({}))).toBe('before'));
  it('is the line while waiting', () => expect(viewOf(known({ entry }))).toBe('waiting'));
  it('is the line while the room is paused', () =>
    expect(viewOf(known({ entry: { ...entry, state: 'paused' } }))).toBe('waiting'));
  it('is the turn if the status is ready', () => expect(viewOf(known({ entry: { ...entry, status: 'ready' } }))).toBe('turn'));
  it('lets a fan inside continue after the room closed', () =>
    expect(viewOf(known({ entry: { ...entry, status: 'entered', state: 'closed' } }))).toBe('entered'));
  it('is the missed turn after it passed', () => expect(viewOf(known({ ended: 'missed' }))).toBe('missed'));
  it('is sold out before joining, and while waiting once all seats are paid', () => {
    const soldOut = { ...concert, status: 'SOLD_OUT' } as Concert;
    expect(viewOf(known({ concert: soldOut }))).toBe('sold-out');
    expect(viewOf(known({ concert: soldOut, entry }))).toBe('waiting');
    expect(viewOf(known({ concert: soldOut, entry: { ...entry, ended: 'sold-out' } }))).toBe('sold-out');
  });
  it('is closed if the room or the concert is', () => {
    expect(viewOf(known({ roomState: 'closed' }))).toBe('closed');
    expect(viewOf(known({ concert: { ...concert, status: 'CLOSED' } as Concert }))).toBe('closed');
    expect(viewOf(known({ entry: { ...entry, state: 'closed', ended: 'closed' } }))).toBe('closed');
  });
  it('is cancelled if the concert is, also for a fan inside', () => {
    expect(viewOf(known({ concert: { ...concert, status: 'CANCELLED' } as Concert }))).toBe('cancelled');
    expect(viewOf(known({ entry: { ...entry, status: 'entered', state: 'closed', ended: 'cancelled' } }))).toBe('cancelled');
  });
  it('is sold out if the room closed after the last seat', () =>
    expect(viewOf(known({ entry: { ...entry, state: 'closed', ended: 'sold-out' } }))).toBe('sold-out'));
  it('is open for a concert without a room', () =>
    expect(viewOf(known({ concert: { ...concert, room: 'none' } as Concert, roomState: 'closed' }))).toBe('before'));
  it('distinguishes missing concerts from unloaded ones', () => {
    expect(viewOf(known({ concert: null, missing: true }))).toBe('missing');
    expect(viewOf(known({ concert: null }))).toBe('loading');
  });
});

it('a place has nothing to wait for once its sale ended; a visitor inside goes on unless it was cancelled', () => {
  expect(endOf(null)).toBeNull();
  expect([endOf(entry), endOf({ ...entry, state: 'paused' })]).toEqual([null, null]);
  expect(endOf({ ...entry, state: 'closed' })).toBe('closed');
  expect(endOf({ ...entry, status: 'ready', ended: 'sold-out' })).toBe('soldOut');
  expect(endOf({ ...entry, status: 'entered', state: 'closed', ended: 'closed' })).toBeNull();
  expect(endOf({ ...entry, status: 'entered', state: 'closed', ended: 'cancelled' })).toBe('cancelled');
});

describe('how many are ahead', () => {
  const silent = { ...entry, number: 9, aheadCount: null, rank: null, position: null } as Entry;
  const before = { ...entry, number: 9 } as Entry;
  it('keeps the last count while the server does not know it', () => {
    expect(withRank(silent, before)).toMatchObject({ aheadCount: 5, rank: 5 });
    expect(withRank({ ...silent, aheadCount: 4 }, before).aheadCount).toBe(4);
  });
  it('is unknown before the draw, without an earlier count, and for another place', () => {
    expect(withRank({ ...silent, state: 'pre-queue' }, before).aheadCount).toBeNull();
    expect(withRank(silent, null).aheadCount).toBeNull();
    expect(withRank(silent, { ...before, number: 8 }).aheadCount).toBeNull();
  });
});

describe('the bar', () => {
  it('starts empty and ends full', () => {
    expect(progress(100, 100)).toBe(0);
    expect(progress(100, 25)).toBe(0.75);
    expect(progress(100, 0)).toBe(1);
  });
  it('is never negative', () => expect(progress(10, 20)).toBe(0));
});

describe('a rounded wait', () => {
  it('is rounded up to steps', () => {
    expect(roundWait(3)).toEqual({ unit: 'second', n: 5, m: 0 });
    expect(roundWait(61)).toEqual({ unit: 'minute', n: 2, m: 0 });
    expect(roundWait(17 * 60)).toEqual({ unit: 'minute', n: 20, m: 0 });
    expect(roundWait(65 * 60)).toEqual({ unit: 'hour', n: 1, m: 10 });
  });
});

describe('screen reader announcements', () => {
  it('are the first position, halvings, the last ten, and one per minute', () => {
    expect(worthSaying(null, 500, 0)).toBe(true);
    expect(worthSaying(500, 499, 2)).toBe(false);
    expect(worthSaying(500, 250, 2)).toBe(true);
    expect(worthSaying(12, 10, 2)).toBe(true);
    expect(worthSaying(500, 480, 60)).toBe(true);
    expect(worthSaying(500, 500, 600)).toBe(false);
  });
});

describe('the next poll', () => {
  it('keeps the interval of the server, with jitter', () => {
    expect(nextPoll(4000, 0, 0)).toBeCloseTo(3400);
    expect(nextPoll(4000, 0, 1)).toBeCloseTo(4600);
  });
  it('backs off during an outage, up to a bound', () => {
    expect(nextPoll(1000, 1, 0.5)).toBeCloseTo(2000);
    expect(nextPoll(1000, 9, 0.5)).toBeCloseTo(15_000);
  });
  it('honours Retry-After', () => {
    expect(nextPoll(1000, 1, 0, 8000)).toBe(8000);
    expect(nextPoll(1000, 1, 1, 8000)).toBeCloseTo(10_400);
    expect(nextPoll(1000, 9, 0.5, 8000)).toBeCloseTo(15_000);
  });
  it('has a minimum interval', () => expect(nextPoll(0, 0, 0.5)).toBeCloseTo(500));
});

it('joins while the room accepts joins', () => {
  expect([joinable('open'), joinable('pre-queue'), joinable('paused'), joinable('scheduled'), joinable('closed'), joinable(null)]).toEqual([
    true, true, true, false, false, false,
  ]);
});
