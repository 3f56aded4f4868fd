// The waiting page in front of a site. The server joins and enters; this script shows the place and opens the page again at the
// turn. Only where users are signed does the script join and enter itself, with the token that the site handed over.
import '../lib/chrome.ts';
import { Fan } from '../../client/fan.ts';
import type { Line, LineState } from '../../client/line.ts';
import { userToken } from '../lib/fan.ts';
import { count, t } from '../lib/text.ts';

const main = document.getElementById('wait') as HTMLElement;
const room = main.dataset['room'] as string;
const token = main.dataset['token'] ?? '';
const signed = token === '';
const put = (id: string, text: string) => ((document.getElementById(id) as HTMLElement).textContent = text);

let leaving = false;
// Not into the history: the back button leads to the site.
function go(url: string): void {
  if (leaving) return;
  leaving = true;
  location.replace(url);
}

async function enter(line: Line): Promise<void> {
  if (leaving) return;
  const returnTo = new URLSearchParams(location.search).get('return');
  const answer = await line.enter(false, returnTo ?? undefined);
  if (answer?.data?.returnUrl) go(answer.data.returnUrl);
  else if (answer?.problem) put('say', answer.problem.detail ?? answer.problem.code);
}

function show(line: Line, { entry, ended, failures }: LineState): void {
  if (failures > 0) put('say', t('reconnecting'));
  if (!entry) {
    // The turn or the place was lost: the server gives a new one.
    if (ended && !signed) go(location.href);
    return;
  }
  if (entry.status !== 'waiting') {
    put('say', t(entry.status === 'ready' ? 'turn' : 'entered'));
    if (signed) void enter(line);
    else if (main.dataset['site']) go(location.href);
    return;
  }
  put('say', '');
  put('ahead', entry.aheadCount === null ? '–' : count(entry.aheadCount));
  put('number', count(entry.number));
  put('eta', entry.eta ? t('minute', { n: Math.max(1, Math.ceil(entry.eta.p90Seconds / 60)) }) : t('etaUnknown'));
  put('notice', entry.notice ?? '');
}

// The place belongs to the cookie's visitor: a name would contradict its token.
const fan = new Fan(signed ? { userToken } : { userId: '' });
const line: Line = fan.line(room, (state) => show(line, state));
if (!signed) fan.keepToken(room, token);
line.follow();
if (signed) {
  void line.join().then((answer) => {
    if (answer?.problem) put('say', answer.problem.status === 401 ? t('signIn') : (answer.problem.detail ?? answer.problem.code));
  });
}
