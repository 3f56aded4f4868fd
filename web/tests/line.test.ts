import { describe, expect, it } from 'vitest';
import { joinable, nextPoll, progress, roundWait, viewOf, withRank, worthSaying, type Known } from '../src/event/line.ts';
import type { Concert, Entry } from '../src/lib/contract.ts';

const concert = { id: 1, status: 'OPEN', bookingOpenAt: '2026-11-15T10:00:00.000Z' } as Concert;
const entry = { status: 'waiting', state: 'open', aheadCount: 5, rank: 5 } as Entry;
const known = (part: Partial<Known>): Known => ({ concert, missing: false, entry: null, roomState: 'open', ended: null, ...part });

describe('what the waiting page shows', () => {
  it('is the countdown or the join button while nobody joined', () => expect(viewOf(known({}))).toBe('before'));
  it('is the line while waiting', () => expect(viewOf(known({ entry }))).toBe('waiting'));
  it('is the line while the room is paused: nobody loses a place', () =>
    expect(viewOf(known({ entry: { ...entry, state: 'paused' } }))).toBe('waiting'));
  it('is the turn when the server says ready', () => expect(viewOf(known({ entry: { ...entry, status: 'ready' } }))).toBe('turn'));
  it('lets a fan who is inside go on although the room closed', () =>
    expect(viewOf(known({ entry: { ...entry, status: 'entered', state: 'closed' } }))).toBe('entered'));
  it('says that a turn was missed', () => expect(viewOf(known({ ended: 'missed' }))).toBe('missed'));
  it('says sold out to newcomers, but keeps those who wait in line: seats may return', () => {
    const soldOut = { ...concert, status: 'SOLD_OUT' } as Concert;
    expect(viewOf(known({ concert: soldOut }))).toBe('sold-out');
    expect(viewOf(known({ concert: soldOut, entry }))).toBe('waiting');
  });
  it('is closed when the room or the concert is', () => {
    expect(viewOf(known({ roomState: 'closed' }))).toBe('closed');
    expect(viewOf(known({ concert: { ...concert, status: 'CANCELLED' } as Concert }))).toBe('closed');
  });
  it('knows concerts that do not exist from those it has not heard of yet', () => {
    expect(viewOf(known({ concert: null, missing: true }))).toBe('missing');
    expect(viewOf(known({ concert: null }))).toBe('loading');
  });
});

describe('how many are ahead', () => {
  const silent = { ...entry, number: 9, aheadCount: null, rank: null, position: null } as Entry;
  const before = { ...entry, number: 9 } as Entry;
  it('stands as it was said while the server does not know it', () => {
    expect(withRank(silent, before)).toMatchObject({ aheadCount: 5, rank: 5 });
    expect(withRank({ ...silent, aheadCount: 4 }, before).aheadCount).toBe(4);
  });
  it('is unknown before the draw, to whom nobody said it, and for another place', () => {
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
  it('never goes below nothing', () => expect(progress(10, 20)).toBe(0));
});

describe('a wait in words', () => {
  it('is rounded up to steps that can be kept', () => {
    expect(roundWait(3)).toEqual({ unit: 'second', n: 5, m: 0 });
    expect(roundWait(61)).toEqual({ unit: 'minute', n: 2, m: 0 });
    expect(roundWait(17 * 60)).toEqual({ unit: 'minute', n: 20, m: 0 });
    expect(roundWait(65 * 60)).toEqual({ unit: 'hour', n: 1, m: 10 });
  });
});

describe('what a screen reader hears', () => {
  it('hears the first position, halvings, the last ten, and a word a minute', () => {
    expect(worthSaying(null, 500, 0)).toBe(true);
    expect(worthSaying(500, 499, 2)).toBe(false);
    expect(worthSaying(500, 250, 2)).toBe(true);
    expect(worthSaying(12, 10, 2)).toBe(true);
    expect(worthSaying(500, 480, 60)).toBe(true);
    expect(worthSaying(500, 500, 600)).toBe(false);
  });
});

describe('asking again', () => {
  it('keeps the interval of the server, with jitter', () => {
    expect(nextPoll(4000, 0, 0)).toBeCloseTo(3400);
    expect(nextPoll(4000, 0, 1)).toBeCloseTo(4600);
  });
  it('backs off while the server is away, up to a bound', () => {
    expect(nextPoll(1000, 1, 0.5)).toBeCloseTo(2000);
    expect(nextPoll(1000, 9, 0.5)).toBeCloseTo(15_000);
  });
  it('leaves a server alone that asked for it', () => {
    expect(nextPoll(1000, 1, 0, 8000)).toBe(8000);
    expect(nextPoll(1000, 1, 1, 8000)).toBeCloseTo(10_400);
    expect(nextPoll(1000, 9, 0.5, 8000)).toBeCloseTo(15_000);
  });
  it('never hammers', () => expect(nextPoll(0, 0, 0.5)).toBeCloseTo(500));
});

it('joins while the room takes people', () => {
  expect([joinable('open'), joinable('pre-queue'), joinable('paused'), joinable('scheduled'), joinable('closed'), joinable(null)]).toEqual([
    true, true, true, false, false, false,
  ]);
});
