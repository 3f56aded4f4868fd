// Parts of the waiting page that most visits do not need: the ends of a sale, postponed dates, the draw, own bookings. Loaded
// when they do, with their words.
import type { Fan } from '../../client/fan.ts';
import { call } from '../lib/api.ts';
import type { Concert, Entry, Reservation } from '../lib/contract.ts';
import { covers, positionOf, type Published } from '../lib/draw.ts';
import { spanOf } from '../lib/span.ts';
import { clockTime, count, dayName, fill, language, money } from '../lib/text.ts';
import type { View } from './line.ts';

declare const __LATE_WORDS__: Record<'en' | 'ko', Record<string, string>>;
const words: Record<string, string> = typeof __LATE_WORDS__ === 'undefined' ? {} : __LATE_WORDS__[language];
const t = (key: string, values: Record<string, string | number> = {}): string => fill(words[key] ?? key, values);

const $ = (id: string) => document.getElementById(id) as HTMLElement;
// Replaces the paragraphs of an element, if they changed: a screen reader then reads them once.
function put(id: string, lines: string[]): void {
  const [box, text] = [$(id), lines.join('\n')];
  if (box.dataset['text'] === text) return;
  box.dataset['text'] = text;
  box.replaceChildren(...lines.map((line) => Object.assign(document.createElement('p'), { textContent: line })));
  box.hidden = lines.length === 0;
}

function soldOutLines(concert: Concert, entry: Entry | null): string[] {
  const lines: string[] = [];
  if (concert.soldOutAt && concert.bookingOpenAt) {
    const took = Date.parse(concert.soldOutAt) - Date.parse(concert.bookingOpenAt);
    lines.push(t('soldOutIn', { time: spanOf(Math.max(0, took), language), at: clockTime(Date.parse(concert.soldOutAt)) }));
  }
  if (concert.ranking) lines.push(t('soldOutRank', { n: concert.ranking.daily }));
  lines.push(entry ? t('soldOutKept', { n: count(entry.number) }) : t('soldOutHint'));
  return lines;
}

// `leave`: gives back the place of a fan that still has one.
export function showEnd(view: View, concert: Concert | null, entry: Entry | null, leave: () => void): void {
  const key = view === 'sold-out' ? 'soldOut' : view;
  if ($('ended-title').textContent !== t(key)) $('ended-title').textContent = t(key);
  const over = concert?.schedules?.every(({ status }) => status === 'ENDED' || status === 'CANCELLED') && concert.status !== 'CLOSED';
  const hint = view === 'closed' && over ? 'salesEnded' : `${key}Hint`;
  put('ended-hint', view === 'sold-out' && concert ? soldOutLines(concert, entry) : words[hint] ? [t(hint)] : []);
  $('ended').className = `stack ${view}`;
  $('again').hidden = view !== 'missed' && view !== 'left';
  $('to-rankings').hidden = view !== 'sold-out';
  $('leave-ended').hidden = entry === null;
  $('leave-ended').onclick = leave;
}

// Dates that were postponed or cancelled.
export function showDates({ status, schedules }: Concert): void {
  if (status === 'CANCELLED') return put('moved', []);
  const lines = (schedules ?? []).flatMap((each) => {
    if (each.status === 'CANCELLED') return [t('dateCancelled', { date: dayName(each.concertDate) })];
    return each.previousDate ? [t('postponed', { old: dayName(each.previousDate), new: dayName(each.concertDate) })] : [];
  });
  put('moved', lines.length > 0 && schedules?.some((each) => each.previousDate) ? [...lines, t('postponedHint')] : lines);
}

// The fan's position in the draw, with the way to verify it. Fans ask at different moments. False: ask again later.
export async function showDraw(room: string, event: string, number: number): Promise<boolean> {
  await new Promise((done) => setTimeout(done, Math.random() * 2500));
  const published = (await call<Published>(`/api/v1/rooms/${encodeURIComponent(room)}/shuffle`))?.data;
  const draw = published?.shuffles.find((each) => covers(each, number));
  if (!draw) return false;
  const link = Object.assign(document.createElement('a'), { href: `/events/${event}/draw?number=${number}`, textContent: t('verifyDraw') });
  $('drawn').replaceChildren(t('drawnAs', { n: count(positionOf(draw, number)), count: count(draw.count ?? 0) }), ' ', link);
  $('drawn').hidden = false;
  return true;
}

// What this fan has bought here, and what became of it.
export async function showBookings(fan: Fan, event: string): Promise<void> {
  const found = (await fan.call<{ items: Reservation[] }>('/api/v1/reservations?limit=100'))?.data?.items;
  if (!found) return;
  const mine = found.filter((each) => String(each.concertId) === event && each.paidAt);
  const lines = mine.map((each) => {
    const seats = (each.labels ?? each.seats.map(String)).join(', ');
    const amount = money(each.amount);
    if (each.status === 'CONFIRMED') return t('bought', { seats, date: dayName(each.concertDate ?? '') });
    return t(each.status === 'REFUNDED' ? 'refundedAmount' : 'refundingAmount', { seats, amount });
  });
  put('mine', lines);
  if (lines.length > 0) $('mine').append(Object.assign(document.createElement('a'), { href: '/me', textContent: t('toBookings') }));
}
