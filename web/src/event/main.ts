// The waiting page. The server keeps the place; the page shows it and restores it after a reload or an outage.
import '../lib/chrome.ts';
import '../lib/facts.css';
import '../lib/ticket.css';
import './event.css';
import { Fan } from '../../client/fan.ts';
import { nextPoll, unanswered } from '../../client/http.ts';
import type { Line, LineState } from '../../client/line.ts';
import { kept, session } from '../../client/storage.ts';
import { call } from '../lib/api.ts';
import type { Concert, Entry } from '../lib/contract.ts';
import { userToken } from '../lib/fan.ts';
import { poster } from '../lib/poster.ts';
import { clockTime, count, dayAndTime, dayName, t } from '../lib/text.ts';
import { countdown, followServerClock, now } from '../lib/time.ts';
import { joinable, progress, roundWait, viewOf, worthSaying, type Known, type View } from './line.ts';

const fan = new Fan({ userToken });
const event = location.pathname.split('/')[2] as string;
const $ = (id: string) => document.getElementById(id) as HTMLElement;
const show = (id: string, yes: boolean) => ($(id).hidden = !yes);
const put = (id: string, text: string) => ($(id).textContent = text);
const say = (text: string) => put('status', text);

const known: Known = { concert: null, missing: false, entry: null, roomState: null, order: 'draw', ended: null };
let view: View | null = null;
// The place in line, once the concert and so its room are known.
let line: Line | null = null;
// Unanswered reads of the concert.
let failures = 0;
let retryAfterMs = 0;
// Why the last join was refused.
let refusal = '';
let timer = 0;
// The visitor wants to join at the opening.
let eager = false;
let joining = false;
let said: { ahead: number; at: number } | null = null;

const firstKey = `maejin:first:${event}`;
// A session that ended on the seats page.
const endedKey = `maejin:ended:${event}`;
// The place was in a pre-queue that is drawn.
const lobbyKey = `maejin:lobby:${event}`;
function etaText({ eta }: Entry): string {
  if (!eta) return t('etaUnknown');
  const [from, to] = [roundWait(eta.p50Seconds), roundWait(Math.max(eta.p50Seconds, eta.p90Seconds))];
  const words = (wait: typeof from) => t(wait.unit, { n: wait.n, m: wait.m });
  if (words(from) === words(to)) return words(from);
  // "5–6 min" if both ends have the same unit.
  return from.unit === to.unit && to.unit !== 'hour' ? t(to.unit, { n: `${from.n}–${to.n}` }) : `${words(from)} – ${words(to)}`;
}

const inLobby = (entry: Entry) => entry.aheadCount === null && (entry.state === 'pre-queue' || entry.state === 'scheduled');

// In the pre-queue the countdown replaces the position.
function drawLobby(): void {
  const opening = known.concert?.bookingOpenAt;
  put('ahead-label', t('opensIn'));
  put('ahead', opening ? countdown(Date.parse(opening) - now()) : '–');
  put('eta', t('drawn'));
  if (said === null) {
    said = { ahead: -1, at: Date.now() };
    kept.setItem(lobbyKey, '1');
    say($('fair').textContent ?? '');
  }
}

function drawWaiting(entry: Entry): void {
  show('bar', entry.aheadCount !== null);
  put('number', count(entry.number));
  if (inLobby(entry)) return drawLobby();
  put('ahead-label', t('ahead'));
  if (entry.aheadCount === null) {
    put('ahead', '…');
    put('eta', t('etaUnknown'));
    return;
  }
  const first = Math.max(Number(kept.getItem(firstKey) ?? 0), entry.aheadCount);
  kept.setItem(firstKey, String(first));
  const done = progress(first, entry.aheadCount);
  put('ahead', count(entry.aheadCount));
  put('eta', etaText(entry));
  const bar = $('bar');
  bar.setAttribute('aria-valuenow', String(Math.round(done * 100)));
  bar.setAttribute('aria-valuetext', t('barText', { n: count(entry.aheadCount) }));
  (bar.firstElementChild as HTMLElement).style.transform = `scaleX(${Math.max(0.015, done)})`;
  const outlook = entry.outlook === 'sold-out' ? 'soldOutOutlook' : entry.outlook;
  show('outlook', outlook !== null && outlook !== undefined);
  put('outlook', outlook ? t(outlook) : '');
  $('outlook').className = `small ${entry.outlook}`;
  if (worthSaying(said?.ahead ?? null, entry.aheadCount, said ? (Date.now() - said.at) / 1000 : 0)) {
    said = { ahead: entry.aheadCount, at: Date.now() };
    say(t('milestone', { n: count(entry.aheadCount), eta: etaText(entry) }));
  }
}

// Rarely needed parts are a module of their own; a failed load is tried again at the next draw.
type Late = typeof import('./late.ts');
// import(), written by vite.config.ts: around its own, Vite puts a helper of half a kilobyte.
declare const __import__: (url: string) => Promise<Late>;
let late: Promise<Late> | null = null;
function later(use: (part: Late) => unknown): Promise<unknown> {
  late ??= __import__($('art').dataset['late'] as string);
  return late.then(use).catch(() => (late = null));
}
// The draw that decided this fan's place was shown, or is being read.
let drawShown = false;
function drawLate(next: View): void {
  const { concert, entry } = known;
  if (concert?.schedules?.some((each) => each.previousDate || each.status === 'CANCELLED')) void later((part) => part.showDates(concert));
  if (line && entry && entry.aheadCount !== null && !drawShown && kept.getItem(lobbyKey)) {
    drawShown = true;
    const { room } = line;
    void later((part) => part.showDraw(room, event, entry.number)).then((found) => (drawShown = !!found));
  }
  if (isEnd(next)) void later((part) => view === next && part.showEnd(next, concert, entry, { join, leave }));
  const state = `${concert?.status}${next}`;
  if (concert && state !== askedFor && (kept.getItem(`maejin:bought:${event}`) || (fan.signed && isEnd(next)))) {
    askedFor = state;
    void later((part) => part.showBookings(fan, event, next === 'cancelled'));
  }
}
// The concert's status for which own bookings were read.
let askedFor = '';
const isEnd = (next: View) => !['before', 'waiting', 'turn', 'entered', 'loading'].includes(next);

function drawBefore(): void {
  const { concert, roomState } = known;
  const open = concert?.bookingOpenAt ? Date.parse(concert.bookingOpenAt) - now() : null;
  const started = concert?.status === 'OPEN' || (open !== null && open <= 0);
  put('countdown', open === null ? t('notDated') : countdown(open));
  $('countdown').classList.toggle('big', open !== null);
  $('countdown').hidden = started;
  ($('before').firstElementChild as HTMLElement).hidden = started || open === null;
  // One rule or the other: early fans are drawn, or all keep the order in which they come.
  const draw = !started && known.order === 'draw' && open !== null;
  show('fair', draw);
  show('order', !draw);
  const canJoin = started || joinable(roomState);
  put('join', t(eager ? 'eager' : canJoin ? 'join' : 'joinEarly'));
  ($('join') as HTMLButtonElement).disabled = eager || joining;
  // Also in the pre-queue: after the opening the place would be behind all of them.
  if (canJoin && eager) {
    eager = false;
    setTimeout(() => void join(), Math.random() * 400);
  }
}

function draw(): void {
  const { entry } = known;
  // A place that is not read yet.
  const unread = entry === null && line !== null && fan.tokenOf(line.room) !== null;
  const next = unread ? 'loading' : viewOf(known);
  const turned = next !== view;
  // With seats left the turn went to another fan, because this one did not enter.
  if (view === 'turn' && next === 'waiting' && entry?.outlook === 'good') void later((part) => part.showPassed());
  view = next;
  const inLine = next === 'waiting';
  const mine = next === 'turn' || next === 'entered';
  show('before', next === 'before');
  show('waiting', inLine);
  show('turn', mine);
  show('ended', isEnd(next));
  if (turned) {
    show('ask', false);
    say('');
  }
  show('notice', !!entry?.notice);
  ($('notice').lastElementChild as HTMLElement).textContent = entry?.notice ?? '';
  show('paused', inLine && entry?.state === 'paused');
  if (inLine && entry) drawWaiting(entry);
  else if (next === 'before') drawBefore();
  else if (mine) {
    drawTurnLeft();
    if (turned) {
      $('turn-alert').innerHTML = `<h2>${t(next)}</h2><p>${t(`${next}Hint`)}</p>`;
      $('enter').focus();
      if (next === 'turn' && kept.getItem('maejin:alert')) void later((part) => part.ring(known.concert?.title ?? ''));
    }
  }
  drawLate(next);
  const lost = failures + (line?.state.failures ?? 0) > 0;
  // In line the connection state has its own element.
  const trouble = lost && !inLine ? t('offline') : refusal;
  if ($('trouble').textContent !== trouble) put('trouble', trouble);
  show('trouble', trouble !== '');
  put('connection', t(lost ? 'reconnecting' : line?.state.live ? 'live' : 'polling'));
  $('dot').className = lost ? 'lost' : 'ok';
  const name = known.concert?.title ?? document.title;
  document.title = next === 'turn' ? `${t('turn')} · ${name}` : inLine && entry ? `${t('titleAhead', { n: entry.aheadCount === null ? '…' : count(entry.aheadCount) })} · ${name}` : name;
}

function drawTurnLeft(): void {
  const ends = line?.state.endsAt;
  put('turn-left', view === 'turn' && ends ? countdown(ends - Date.now()) : '');
}

// The state of the place in this browser, from this tab or from another.
function take({ entry, ended, updatedAt, problem }: LineState): void {
  if (entry) {
    refusal = '';
    known.roomState = entry.state ?? known.roomState;
    put('updated', t('updated', { time: clockTime(updatedAt + now() - Date.now()) }));
  } else if (known.entry) {
    said = null;
    drawShown = false;
    kept.removeItem(firstKey);
    kept.removeItem(lobbyKey);
    // The place is gone: read the concert's state.
    again(0);
  }
  // The shop's user token has expired; the place is kept.
  if (problem) refusal = t('signIn');
  if (entry?.ended && !known.entry?.ended) again(0);
  known.entry = entry;
  known.ended = entry ? null : (ended ?? known.ended);
  draw();
}

async function readConcert(): Promise<void> {
  const [concert, serving] = await Promise.all([call<Concert>(`/api/v1/concerts/${event}`), call<{ state: Entry['state']; order: Known['order'] }>(`/api/v1/rooms/${line?.room ?? event}/serving`)]);
  if (serving?.data) ({ state: known.roomState, order: known.order } = serving.data);
  failures = unanswered(concert) ? failures + 1 : 0;
  retryAfterMs = concert?.retryAfterMs ?? 0;
  if (concert?.data) known.concert = concert.data;
  known.missing = concert?.status === 404;
  const shown = known.concert;
  if (!shown) return;
  const days = (shown.schedules ?? []).filter(({ status }) => status !== 'CANCELLED').map((each) => dayName(each.concertDate));
  const opening = shown.status === 'SCHEDULED' && shown.bookingOpenAt ? t('opensAt', { time: dayAndTime(shown.bookingOpenAt) }) : '';
  put('when', `${days.length > 1 ? `${days[0]} – ${days.at(-1)}` : (days[0] ?? '')}\n${opening}`);
  // Without a poster, which the server puts into the page, the concert has a drawing.
  if (!$('art').firstChild) $('art').innerHTML = poster(shown.id);
}

// Reads the concert until the fan is in line; then the line has all that the page shows.
async function tick(): Promise<void> {
  clearTimeout(timer);
  // Also at the end of the sale: its time is the concert's.
  const reads = () => !known.concert || !known.entry || (known.entry.ended && known.concert.status === 'OPEN');
  if (reads()) await readConcert();
  if (known.concert && !line) {
    line = fan.line(known.concert.room === 'main' ? 'main' : event, take);
    if (known.concert.room !== 'none') line.follow();
  }
  draw();
  if (reads()) again(nextPoll(document.hidden ? 15_000 : 2000, failures, Math.random(), retryAfterMs));
}
function again(ms: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void tick(), ms);
}

async function join(): Promise<void> {
  if (!line || joining) return;
  joining = true;
  refusal = '';
  kept.removeItem(firstKey);
  draw();
  const answer = await line.join();
  joining = false;
  if (answer?.problem?.code === 'not-open') eager = true;
  else if (answer?.problem) refusal = answer.status === 401 ? t('signIn') : t('failed', { why: answer.problem.detail ?? '' });
  draw();
  if (answer?.problem) void tick();
}

const leave = () => line?.leave();
async function enter(): Promise<void> {
  // The pages do not use the pass.
  const inside = view === 'entered' || (await line?.enter())?.data;
  if (inside) location.assign(`/events/${event}/seats`);
}

$('join').onclick = () => {
  if (known.concert?.room === 'none') return location.assign(`/events/${event}/seats`);
  if (joinable(known.roomState) || known.concert?.status === 'OPEN') void join();
  else {
    eager = true;
    draw();
  }
};
$('enter').onclick = () => void enter();
for (const id of ['leave', 'leave-turn']) $(id).onclick = () => void later((part) => part.askToLeave(id, leave));
$('alert').onclick = () => void later((part) => part.switchAlerts());
if (kept.getItem('maejin:alert')) $('alert').ariaPressed = 'true';
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void tick();
});
addEventListener('online', () => void tick());
setInterval(() => {
  if (view === 'before') drawBefore();
  else if (view === 'turn') drawTurnLeft();
  else if (view === 'waiting' && known.entry && inLobby(known.entry)) drawLobby();
}, 250);
known.ended = session.getItem(endedKey) as Known['ended'];
session.removeItem(endedKey);
void followServerClock().then(tick);
