// The waiting page. The server keeps the place; the page shows it and restores it after a reload or an outage.
import '../lib/chrome.ts';
import '../lib/ticket.css';
import './event.css';
import { call, newKey, unanswered, type Answer } from '../lib/api.ts';
import type { Concert, Entry } from '../lib/contract.ts';
import { forgetToken, identity, keepToken, signed, tokenOf, userId } from '../lib/fan.ts';
import { poster } from '../lib/poster.ts';
import { clockTime, count, dayAndTime, dayName, t } from '../lib/text.ts';
import { countdown, followServerClock, now } from '../lib/time.ts';
import { joinable, nextPoll, progress, roundWait, viewOf, withRank, worthSaying, type Known, type View } from './line.ts';

const event = location.pathname.split('/')[2] as string;
// Fans of a concert with `room: "main"` wait in the line of the whole site.
let line = event;
const room = () => `/api/v1/rooms/${line}`;
const $ = (id: string) => document.getElementById(id) as HTMLElement;
const show = (id: string, yes: boolean) => ($(id).hidden = !yes);
const say = (text: string) => ($('status').textContent = text);

const known: Known = { concert: null, missing: false, entry: null, roomState: null, ended: null };
let view: View | null = null;
let failures = 0;
// `Retry-After` of the last overload answer.
let retryAfterMs = 0;
// Why the last join was refused.
let refusal = '';
let live = false;
let source: EventSource | null = null;
let timer = 0;
// The visitor wants to join at the opening.
let eager = false;
// The Idempotency-Key of the join in flight, the same for its retries.
let joining = '';
let said: { ahead: number; at: number } | null = null;

const firstKey = `maejin:first:${event}`;
// End of this turn by the server's clock.
let turnEnds = 0;
function etaText({ eta }: Entry): string {
  if (!eta) return t('etaUnknown');
  const [from, to] = [roundWait(eta.p50Seconds), roundWait(Math.max(eta.p50Seconds, eta.p90Seconds))];
  const words = (wait: typeof from) => t(wait.unit, { n: wait.n, m: wait.m });
  if (words(from) === words(to)) return words(from);
  // "5–6 min" if both ends have the same unit.
  return from.unit === to.unit && to.unit !== 'hour' ? t(to.unit, { n: `${from.n}–${to.n}` }) : t('etaRange', { from: words(from), to: words(to) });
}

const inLobby = (entry: Entry) => entry.aheadCount === null && (entry.state === 'pre-queue' || entry.state === 'scheduled');

// In the pre-queue the countdown replaces the position.
function drawLobby(entry: Entry): void {
  const opening = known.concert?.bookingOpenAt;
  $('ahead-label').textContent = t('opensIn');
  $('ahead').textContent = opening ? countdown(Date.parse(opening) - now()) : '–';
  $('number').textContent = count(entry.number);
  $('eta').textContent = t('drawn');
  if (said === null) {
    said = { ahead: -1, at: Date.now() };
    say(t('ruleFair'));
  }
}

function drawWaiting(entry: Entry): void {
  show('bar', entry.aheadCount !== null);
  if (inLobby(entry)) return drawLobby(entry);
  $('ahead-label').textContent = t('ahead');
  if (entry.aheadCount === null) {
    $('ahead').textContent = '…';
    $('number').textContent = count(entry.number);
    $('eta').textContent = t('etaUnknown');
    return;
  }
  const first = Math.max(Number(localStorage.getItem(firstKey) ?? 0), entry.aheadCount);
  localStorage.setItem(firstKey, String(first));
  const done = progress(first, entry.aheadCount);
  $('ahead').textContent = count(entry.aheadCount);
  $('number').textContent = count(entry.number);
  $('eta').textContent = etaText(entry);
  const bar = $('bar');
  bar.setAttribute('aria-valuenow', String(Math.round(done * 100)));
  bar.setAttribute('aria-valuetext', t('barText', { n: count(entry.aheadCount) }));
  (bar.firstElementChild as HTMLElement).style.transform = `scaleX(${Math.max(0.015, done)})`;
  const outlook = entry.outlook === 'sold-out' ? 'soldOutOutlook' : entry.outlook;
  show('outlook', outlook !== null && outlook !== undefined);
  $('outlook').textContent = outlook ? t(outlook) : '';
  $('outlook').className = `small ${entry.outlook}`;
  if (worthSaying(said?.ahead ?? null, entry.aheadCount, said ? (Date.now() - said.at) / 1000 : 0)) {
    said = { ahead: entry.aheadCount, at: Date.now() };
    say(t('milestone', { n: count(entry.aheadCount), eta: etaText(entry) }));
  }
}

function drawEnded(kind: View): void {
  const key = kind === 'sold-out' ? 'soldOut' : kind;
  $('ended-title').textContent = t(key);
  $('ended-hint').textContent = kind === 'left' || kind === 'missing' ? '' : t(`${key}Hint`);
  show('again', kind === 'missed' || kind === 'left');
  show('to-rankings', kind === 'sold-out');
}

function drawBefore(): void {
  const { concert, roomState } = known;
  const open = concert?.bookingOpenAt ? Date.parse(concert.bookingOpenAt) - now() : null;
  const started = concert?.status === 'OPEN' || (open !== null && open <= 0);
  $('before').classList.toggle('started', started);
  $('countdown').textContent = open === null ? t('notDated') : countdown(open);
  $('countdown').classList.toggle('big', open !== null);
  $('countdown').hidden = started;
  ($('before').firstElementChild as HTMLElement).hidden = started || open === null;
  show('fair', roomState === 'pre-queue');
  $('join').textContent = t(eager ? 'eager' : joinable(roomState) || started ? 'join' : 'joinEarly');
  ($('join') as HTMLButtonElement).disabled = eager || joining !== '';
  if (started && eager) {
    eager = false;
    setTimeout(() => void join(), Math.random() * 400);
  }
}

function draw(): void {
  const next = viewOf(known);
  const { entry } = known;
  const turned = next !== view;
  view = next;
  const inLine = next === 'waiting';
  const mine = next === 'turn' || next === 'entered';
  show('before', next === 'before');
  show('waiting', inLine);
  show('turn', mine);
  show('ended', !inLine && !mine && next !== 'before' && next !== 'loading');
  show('notice', !!entry?.notice);
  ($('notice').lastElementChild as HTMLElement).textContent = entry?.notice ?? '';
  show('paused', inLine && entry?.state === 'paused');
  if (inLine && entry) drawWaiting(entry);
  else if (next === 'before') drawBefore();
  else if (mine) {
    if (turned) $('turn-alert').innerHTML = `<h2>${t(next)}</h2><p>${t(`${next}Hint`)}</p>`;
    drawTurnLeft();
  } else if (turned) drawEnded(next);
  const lost = failures > 0;
  // In line the connection state has its own element.
  const trouble = lost && !inLine ? t('offline') : refusal;
  if ($('trouble').textContent !== trouble) $('trouble').textContent = trouble;
  show('trouble', trouble !== '');
  $('connection').textContent = t(lost ? 'reconnecting' : live ? 'live' : 'polling');
  $('dot').className = lost ? 'lost' : 'ok';
  const name = known.concert?.title ?? t('title');
  document.title = next === 'turn' ? `${t('titleTurn')} · ${name}` : inLine && entry ? `${t('titleAhead', { n: entry.aheadCount === null ? '…' : count(entry.aheadCount) })} · ${name}` : `${name} · maejin`;
}

function drawTurnLeft(): void {
  $('turn-left').textContent = view === 'turn' && turnEnds ? t('turnLeft', { time: countdown(turnEnds - now()) }) : '';
}

function take(entry: Entry): void {
  failures = 0;
  refusal = '';
  known.entry = withRank(entry, known.entry);
  known.roomState = entry.state ?? known.roomState;
  known.ended = null;
  turnEnds = entry.expiresIn ? now() + entry.expiresIn * 1000 : 0;
  if (entry.token) keepToken(line, entry.token);
  $('updated').textContent = t('updated', { time: clockTime(now()) });
  draw();
}

function lose(ended: Known['ended']): void {
  known.entry = null;
  known.ended = ended;
  said = null;
  forgetToken(line);
  localStorage.removeItem(firstKey);
  unlisten();
  draw();
}

// Counts unanswered calls and honours `Retry-After`.
function heard(answer: Answer<unknown> | null): void {
  failures = unanswered(answer) ? failures + 1 : 0;
  retryAfterMs = answer?.retryAfterMs ?? 0;
}

async function readConcert(): Promise<void> {
  const concert = await call<Concert>(`/api/v1/concerts/${event}`);
  heard(concert);
  if (concert?.data) known.concert = concert.data;
  line = known.concert?.room === 'main' ? 'main' : event;
  const serving = await call<{ state: Entry['state'] }>(`${room()}/serving`);
  if (serving?.data) known.roomState = serving.data.state;
  known.missing = concert?.status === 404;
  const shown = known.concert;
  if (shown && $('name').textContent !== shown.title) {
    $('name').textContent = shown.title;
    $('who').textContent = `${shown.artist} · ${shown.venue}`;
    const days = (shown.schedules ?? []).map((each) => dayName(each.concertDate));
    const opening = shown.status === 'SCHEDULED' && shown.bookingOpenAt ? t('opensAt', { time: dayAndTime(shown.bookingOpenAt) }) : '';
    $('when').textContent = `${days.length > 1 ? `${days[0]} – ${days.at(-1)}` : (days[0] ?? '')}\n${opening}`;
    $('art').innerHTML = poster(shown.id);
  }
}

async function readEntry(): Promise<void> {
  const answer = await call<Entry>(`${room()}/entries/me`, { headers: identity(tokenOf(line)) });
  heard(answer);
  if (answer?.data) take(answer.data);
  // The shop's user token has expired; the place is kept.
  else if (answer?.status === 401 && signed) refusal = t('signIn');
  else if (answer && [401, 403, 404].includes(answer.status)) lose('missed');
}

async function tick(): Promise<void> {
  clearTimeout(timer);
  if (known.concert === null || tokenOf(line) === null) await readConcert();
  const inLine = tokenOf(line) !== null;
  if (inLine) await readEntry();
  if (known.entry && known.entry.state !== 'closed' && !source && view !== 'entered') listen();
  // The place is gone: read the concert's state.
  if (inLine && !tokenOf(line)) await readConcert();
  draw();
  again(nextPoll(known.entry?.pollAfterMs ?? 2000, failures, Math.random(), retryAfterMs));
}
function again(ms: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void tick(), ms);
}

// The stream gives quick updates; polls keep the page correct if a proxy blocks the stream.
function listen(): void {
  const token = tokenOf(line);
  if (!token || !('EventSource' in window)) return;
  source = new EventSource(`${room()}/stream?token=${encodeURIComponent(token)}`);
  source.onopen = () => {
    live = true;
    draw();
  };
  source.onerror = () => {
    live = false;
    if (source?.readyState === EventSource.CLOSED) unlisten();
    draw();
  };
  const merge = (message: MessageEvent<string>) => {
    if (known.entry) take({ ...known.entry, ...(JSON.parse(message.data) as Partial<Entry>) });
  };
  source.addEventListener('position', merge);
  source.addEventListener('notice', merge);
  source.addEventListener('turn', () => void tick());
  source.addEventListener('gone', () => {
    unlisten();
    void tick();
  });
  source.addEventListener('reconnect', () => {
    unlisten();
    again(500 + Math.random() * 3000);
  });
}
function unlisten(): void {
  source?.close();
  source = null;
  live = false;
}

async function join(): Promise<void> {
  joining ||= newKey();
  refusal = '';
  const body = signed ? {} : { userId };
  const answer = await call<Entry>(`${room()}/entries`, { method: 'POST', body, headers: { ...identity(), 'Idempotency-Key': joining } });
  heard(answer);
  if (unanswered(answer)) {
    setTimeout(() => void join(), nextPoll(0, failures, Math.random(), retryAfterMs));
    return draw();
  }
  joining = '';
  if (answer?.data) {
    localStorage.removeItem(firstKey);
    take(answer.data);
  } else if (answer?.problem?.code === 'not-open') eager = true;
  else refusal = answer?.status === 401 ? t('signIn') : t('failed', { why: answer?.problem?.detail ?? '' });
  void tick();
}

async function enter(): Promise<void> {
  if (view === 'entered') return location.assign(`/events/${event}/seats`);
  const headers = { ...identity(tokenOf(line)), Prefer: 'return=minimal' }; // the pages do not use the pass
  const answer = await call<{ token: string }>(`${room()}/enter`, { method: 'POST', body: {}, headers });
  if (answer?.data) {
    if (answer.data.token) keepToken(line, answer.data.token);
    location.assign(`/events/${event}/seats`);
  } else void tick();
}

async function leave(): Promise<void> {
  const answer = await call(`${room()}/entries/me`, { method: 'DELETE', headers: identity(tokenOf(line)) });
  if (answer && answer.status < 500) lose('left');
}

$('join').onclick = () => {
  if (joining) return;
  if (known.concert?.room === 'none') return location.assign(`/events/${event}/seats`);
  if (joinable(known.roomState) || known.concert?.status === 'OPEN') void join();
  else {
    eager = true;
    draw();
  }
};
$('again').onclick = () => {
  if (!joining) void join();
};
$('enter').onclick = () => void enter();
$('leave').onclick = () => {
  show('ask', true);
  $('stay').focus();
};
$('stay').onclick = () => {
  show('ask', false);
  $('leave').focus();
};
$('leave-now').onclick = () => {
  show('ask', false);
  void leave();
};
$('leave-turn').onclick = () => void leave();
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void tick();
});
addEventListener('online', () => void tick());
setInterval(() => {
  if (view === 'before') drawBefore();
  else if (view === 'turn') drawTurnLeft();
  else if (view === 'waiting' && known.entry && inLobby(known.entry)) drawLobby(known.entry);
}, 250);
void followServerClock().then(tick);
