// Parts of the waiting page that most visits do not need: the ends of a sale, postponed dates, the draw, own bookings. Loaded
// when they do, with their words.
import type { Fan } from '../../client/fan.ts';
import { kept } from '../../client/storage.ts';
import { call } from '../lib/api.ts';
import type { Concert, Entry, Reservation } from '../lib/contract.ts';
import { covers, positionOf, type Published } from '../lib/draw.ts';
import { spanOf } from '../lib/span.ts';
import { count, dayAndTime, dayName, fill, language, type Language } from '../lib/text.ts';
import type { View } from './line.ts';

declare const __LATE_WORDS__: Record<Language, Record<string, string>>;
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
    lines.push(t('soldOutIn', { time: spanOf(Math.max(0, took), language), at: dayAndTime(concert.soldOutAt) }));
  }
  if (concert.ranking) lines.push(t('soldOutRank', { n: concert.ranking.daily }));
  lines.push(entry ? t('soldOutKept', { n: count(entry.number) }) : t('soldOutHint'));
  return lines;
}

// `act`: what the two buttons do.
export function showEnd(view: View, concert: Concert | null, entry: Entry | null, act: { join: () => unknown; leave: () => unknown }): void {
  if (!$('ended').firstChild) {
    $('ended').innerHTML =
      `<div role="alert" class="stack"><h2 id="ended-title"></h2><div id="ended-hint"></div></div>` +
      `<p class="row"><button class="button primary" id="again">${t('join')}</button><a class="button" id="to-rankings" href="/rankings">${t('rankings')}</a></p>` +
      `<button class="plain" id="leave-ended">${t('leave')}</button>`;
    $('again').onclick = act.join;
    $('leave-ended').onclick = () => askToLeave('leave-ended', act.leave);
  }
  if (note) note.hidden = true;
  const key = view === 'sold-out' ? 'soldOut' : view;
  if ($('ended-title').textContent !== t(key)) $('ended-title').textContent = t(key);
  const over = concert?.schedules?.every(({ status }) => status === 'ENDED' || status === 'CANCELLED') && concert.status !== 'CLOSED';
  const hint = view === 'closed' && over ? 'salesEnded' : `${key}Hint`;
  put('ended-hint', view === 'sold-out' && concert ? soldOutLines(concert, entry) : words[hint] ? [t(hint)] : []);
  $('ended').className = `stack ${view}`;
  $('again').hidden = !['missed', 'sessionOver', 'left'].includes(view);
  $('to-rankings').hidden = view !== 'sold-out';
  $('leave-ended').hidden = entry === null;
}

// Leaving asks first; the answer that changes nothing has the focus.
export function askToLeave(opener: string, leave: () => unknown): void {
  const [box, text] = [$('ask'), document.createElement('p')];
  text.textContent = t('leaveSure');
  const answer = (word: string, act: () => unknown) =>
    Object.assign(document.createElement('button'), { className: 'button', textContent: t(word), onclick: () => (box.hidden = true) && act() });
  const stay = answer('stay', () => $(opener).focus());
  box.replaceChildren(text, stay, answer('leave', leave));
  // Below the area of the turn, which covers its lower margin.
  box.style.paddingTop = '1.25rem';
  box.hidden = false;
  stay.focus();
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

let reading: ReturnType<typeof setTimeout> | undefined;
// What this fan has bought here, and what became of it. Read again until all refunds of a cancelled concert are made.
export async function showBookings(fan: Fan, event: string, cancelled: boolean): Promise<void> {
  clearTimeout(reading);
  const again = () => (reading = setTimeout(() => void showBookings(fan, event, cancelled), 4000));
  const found = (await fan.call<{ items: Reservation[] }>('/api/v1/reservations?limit=100'))?.data?.items;
  if (!found) return void again();
  const mine = found.filter((each) => String(each.concertId) === event && each.paidAt);
  const lines = mine.map((each) => {
    const seats = (each.labels ?? each.seats.map(String)).join(', ');
    const amount = t('won', { n: count(each.amount) });
    if (each.status === 'CONFIRMED') return t('bought', { seats, date: dayName(each.concertDate ?? '') });
    return t(each.status === 'REFUNDED' ? 'refundedAmount' : 'refundingAmount', { seats, amount });
  });
  put('mine', lines);
  if (mine.some(({ status }) => status === 'CANCELLED' || (cancelled && status === 'CONFIRMED'))) again();
  if (lines.length > 0 && !$('mine').querySelector('a')) $('mine').append(Object.assign(document.createElement('a'), { href: '/me', textContent: t('toBookings') }));
}

// A sentence in the line that screen readers announce too: the element is in the page before its text.
let note: HTMLElement | null = null;
function tell(text: string, urgent = false): void {
  note ??= Object.assign(document.createElement('p'), { role: 'status' });
  note.className = urgent ? 'notice' : 'small muted';
  note.hidden = text === '';
  note.textContent = '';
  if (urgent) $('waiting').prepend(note);
  else $('leave').after(note);
  setTimeout(() => note && (note.textContent = text), 100);
}
// The turn passed to the next fan, and the place was kept.
export const showPassed = (): void => tell(t('passed'), true);

// Sound, vibration and a notification at the turn, for fans that asked for them. The click that asks also lets the browser
// play sound.
let sound: AudioContext | null = null;
function beep(): void {
  if (!sound) return;
  for (const [at, pitch] of [[0, 660], [0.25, 880], [0.5, 1100]] as const) {
    const [tone, volume] = [sound.createOscillator(), sound.createGain()];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.25, sound.currentTime + at);
    volume.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + at + 0.22);
    tone.connect(volume).connect(sound.destination);
    tone.start(sound.currentTime + at);
    tone.stop(sound.currentTime + at + 0.22);
  }
}
export async function switchAlerts(): Promise<void> {
  const on = !kept.getItem('maejin:alert');
  if (on) kept.setItem('maejin:alert', '1');
  else kept.removeItem('maejin:alert');
  $('alert').ariaPressed = String(on);
  if (!on) return tell('');
  sound ??= 'AudioContext' in globalThis ? new AudioContext() : null;
  beep();
  // Plain HTTP has no notifications; sound and vibration remain.
  const allowed = 'Notification' in globalThis ? await Notification.requestPermission() : 'denied';
  // Switched off while the browser asked.
  if (!kept.getItem('maejin:alert')) return;
  tell(t(allowed === 'granted' ? 'alertOn' : 'alertSound'));
}
// Once for all tabs of the browser.
export function ring(title: string): Promise<void> {
  const call = () => {
    beep();
    navigator.vibrate?.([300, 150, 300]);
    if ('Notification' in globalThis && Notification.permission === 'granted') {
      const note = new Notification(t('alertTitle'), { body: title, tag: `maejin:${location.pathname}`, requireInteraction: true });
      note.onclick = () => {
        focus();
        note.close();
      };
    }
    return new Promise<void>((done) => setTimeout(done, 3000));
  };
  if (!navigator.locks) return call();
  return navigator.locks.request(`maejin:ring:${location.pathname}`, { ifAvailable: true }, (lock) => (lock ? call() : undefined)) as Promise<void>;
}
