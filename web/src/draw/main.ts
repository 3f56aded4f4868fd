// Verifies the draw of a pre-queue in the browser: recomputes the order from the published seed and compares it.
import '../lib/chrome.ts';
import { call } from '../lib/api.ts';
import { covers, positionOf, verify, type Draw, type Published } from '../lib/draw.ts';
import type { Concert } from '../lib/contract.ts';
import { count, t } from '../lib/text.ts';
import './draw.css';

const event = location.pathname.split('/')[2] as string;
const wanted = Number(new URLSearchParams(location.search).get('number') ?? 0);
const app = document.getElementById('app') as HTMLElement;

function element(tag: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
function facts(draw: Draw): HTMLElement {
  const list = document.createElement('dl');
  const rows: [string, string | undefined][] = [
    ['commitment', draw.commitment],
    ['seed', draw.seed],
    ['order', draw.orderSha256],
  ];
  for (const [name, value] of rows) list.append(element('dt', t(name)), element('dd', value ?? t('later'), 'mono'));
  return list;
}

async function show(published: Published, draw: Draw): Promise<void> {
  const card = element('section', '', 'card stack');
  const verdict = element('p', t('checking'), 'verdict');
  verdict.setAttribute('role', 'status');
  const last = draw.firstNumber + (draw.count ?? 0) - 1;
  card.append(element('h2', draw.seed ? t('numbers', { from: count(draw.firstNumber), to: count(last), n: count(draw.count ?? 0) }) : t('notDrawn')));
  if (covers(draw, wanted)) card.append(element('p', t('yours', { number: count(wanted), n: count(positionOf(draw, wanted)), count: count(draw.count ?? 0) }), 'yours'));
  card.append(verdict, facts(draw));
  app.append(card);
  const found = await verify(published, draw, (part) => (verdict.textContent = `${t('checking')} ${Math.floor(part * 100)}%`));
  verdict.textContent = t(found);
  verdict.classList.add(found === 'fair' ? 'fair' : 'unfair');
}

async function main(): Promise<void> {
  const concert = (await call<Concert>(`/api/v1/concerts/${event}`))?.data;
  const room = concert?.room === 'main' ? 'main' : event;
  const published = (await call<Published>(`/api/v1/rooms/${room}/shuffle`))?.data;
  app.replaceChildren(element('h1', t('title')), element('p', concert?.title ?? '', 'muted'), element('p', t('how')));
  if (!published) app.append(element('p', t('offline'), 'notice'));
  else if (published.shuffles.length === 0) app.append(element('p', t('none'), 'notice'));
  for (const draw of published?.shuffles ?? []) await show(published as Published, draw);
  const back = element('a', t('back'), 'button') as HTMLAnchorElement;
  back.href = `/events/${event}`;
  const raw = element('a', t('data'), 'button') as HTMLAnchorElement;
  raw.href = `/api/v1/rooms/${room}/shuffle`;
  const row = element('p', '', 'row');
  row.append(back, raw);
  app.append(row);
}
void main();
