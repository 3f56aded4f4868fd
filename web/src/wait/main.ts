// The waiting page in front of a site. The server joins and enters; this script shows the place and opens the page again at the
// turn. Only where users are signed does the script join and enter itself, with the token that the site handed over.
import '../lib/chrome.ts';
import '../lib/facts.css';
import '../lib/languages.ts';
import './wait.css';
import { Fan } from '../../client/fan.ts';
import type { Problem } from '../../client/http.ts';
import { endOf, type Line, type LineState } from '../../client/line.ts';
import { EnterPace } from '../../client/pace.ts';
import { session } from '../../client/storage.ts';
import { worthSaying } from '../event/line.ts';
import { userToken } from '../lib/fan.ts';
import { count, t } from '../lib/text.ts';

const main = document.getElementById('wait') as HTMLElement;
const room = main.dataset['room'] as string;
const token = main.dataset['token'] ?? '';
const signed = token === '';
const $ = (id: string) => document.getElementById(id) as HTMLElement;
// Unchanged text is not set again: screen readers would repeat it.
const put = (id: string, text: string) => $(id).textContent === text || ($(id).textContent = text);

let leaving = false;
// Not into the history: the back button leads to the site.
function go(url: string): void {
  if (leaving) return;
  leaving = true;
  location.replace(url);
}
// The server enters, or gives a new place. If the page comes back without either, it does not reload at once.
const reloadKey = `maejin:reload:${room}`;
function reload(): void {
  if (Date.now() < Number(session.getItem(reloadKey) ?? 0)) return;
  if (!leaving) session.setItem(reloadKey, String(Date.now() + 3000 * (1 + Math.random() * 0.3)));
  go(location.href);
}

const why = ({ status, detail, code }: Problem) => (status === 401 ? t('signIn') : (detail ?? code));
const pace = new EnterPace();
// Why the last call to enter was refused.
let refused = '';
async function enter(line: Line, pressed = false): Promise<void> {
  if (leaving) return;
  const returnTo = new URLSearchParams(location.search).get('return');
  const answer = await pace.run(() => line.enter(false, returnTo ?? undefined), pressed);
  if (answer === undefined) return;
  if (answer?.data?.returnUrl) return go(answer.data.returnUrl);
  refused = answer?.problem ? why(answer.problem) : '';
  show(line, line.state);
}
async function join(): Promise<void> {
  const { problem } = (await line.join()) ?? {};
  if (problem) put('say', why(problem));
}

function say({ entry, failures }: LineState): string {
  const end = endOf(entry);
  if (refused) return refused;
  if (failures > 0) return t('reconnecting');
  if (end) return t(end);
  if (entry?.status === 'waiting') return entry.state === 'paused' ? t('paused') : '';
  return t(entry?.status === 'ready' ? 'turn' : 'entered');
}

// What was last announced to screen readers; in line the title of the tab has the place too.
let said: { ahead: number; at: number } | null = null;
const name = document.title;
function mirror(ahead: number | null, eta: string): void {
  document.title = ahead === null ? name : `${t('titleAhead', { n: count(ahead) })} · ${name}`;
  if (ahead === null || !worthSaying(said?.ahead ?? null, ahead, said ? (Date.now() - said.at) / 1000 : 0)) return;
  said = { ahead, at: Date.now() };
  put('status', t('milestone', { n: count(ahead), eta }));
}

function show(line: Line, state: LineState): void {
  const { entry, ended } = state;
  if (entry?.status !== 'waiting' || endOf(entry)) mirror(null, '');
  $('enter').hidden = entry ? !refused || entry.status === 'waiting' : !ended;
  if (!entry) {
    if (state.failures > 0) put('say', t('reconnecting'));
    else if (ended) put('say', t(ended));
    pace.reset();
    refused = '';
    // The turn or the place was lost: the server gives a new one.
    if (ended && !signed) reload();
    return;
  }
  put('say', say(state));
  put('notice', entry.notice ?? '');
  const end = endOf(entry);
  for (const id of ['ahead', 'eta']) ($(id).parentElement as HTMLElement).hidden = end !== null;
  if (end) return;
  if (entry.status !== 'waiting') {
    if (signed) void enter(line);
    else if (main.dataset['site']) reload();
    return;
  }
  put('ahead', entry.aheadCount === null ? '–' : count(entry.aheadCount));
  put('number', count(entry.number));
  const eta = entry.eta ? t('minute', { n: Math.max(1, Math.ceil(entry.eta.p90Seconds / 60)) }) : t('etaUnknown');
  put('eta', eta);
  mirror(entry.aheadCount, eta);
}

// The place belongs to the cookie's visitor: a name would contradict its token.
const fan = new Fan(signed ? { userToken } : { userId: '' });
const line: Line = fan.line(room, (state) => show(line, state));
if (!signed) fan.keepToken(room, token);
line.follow();
$('enter').onclick = () => void (line.state.entry ? enter(line, true) : signed ? join() : go(location.href));
// A lost call to enter is made again when its pause ends, and the page is opened again for a new place.
setInterval(() => (line.state.entry || line.state.ended) && show(line, line.state), 1000);
if (signed) void join();
