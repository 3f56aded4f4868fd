// The frame of every page, and the pages that are HTML only.
import { en } from '../src/text/en.ts';
import { ja } from '../src/text/ja.ts';
import { ko } from '../src/text/ko.ts';
import { zhHant } from '../src/text/zh-Hant.ts';
import type { Dictionary, FanDictionary, Section } from '../src/text/index.ts';
import { eventBody } from './event_body.ts';
import { escape } from './html.ts';

// The tags of the `lang` attribute; src/server/language.cpp has the same.
export type Language = 'en' | 'ko' | 'ja' | 'zh-Hant';
export const languages: Language[] = ['en', 'ko', 'ja', 'zh-Hant'];
const names: Record<Language, string> = { en: 'English', ko: '한국어', ja: '日本語', 'zh-Hant': '繁體中文' };
export const dictionaries: Record<Language, FanDictionary> = { en, ko, ja, 'zh-Hant': zhHant };
// The console and the API's documentation; the server answers other languages in English.
export type OperatorLanguage = 'en' | 'ko';
const operatorDictionaries: Record<OperatorLanguage, Dictionary> = { en, ko };
const forOperators = (section: Section): section is 'docs' | 'console' => section === 'docs' || section === 'console';
export const isOperatorLanguage = (language: Language): language is OperatorLanguage => language === 'en' || language === 'ko';
export const languagesOf = (section: Section): Language[] => (forOperators(section) ? languages.filter(isOperatorLanguage) : languages);
const wordsOf = (language: Language, section: Section): Record<string, string> =>
  forOperators(section) ? operatorDictionaries[isOperatorLanguage(language) ? language : 'en'][section] : dictionaries[language][section];

export type Page = 'home' | 'event' | 'draw' | 'seats' | 'me' | 'rankings' | 'console' | 'docs';
export const pages: Page[] = ['home', 'event', 'draw', 'seats', 'me', 'rankings', 'console', 'docs'];

export interface Assets {
  scripts: string[];
  preloads: string[];
  styles: string[];
  // Of the line: the module of its rarely needed parts.
  late?: string;
}

const tags = (assets: Assets) =>
  assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('') +
  assets.preloads.map((href) => `<link rel="modulepreload" href="${href}">`).join('') +
  assets.scripts.map((src) => `<script type="module" src="${src}"></script>`).join('');

// The page in its other languages: one link, or a menu that needs no script. On a phone the header has one line.
function languageMenu(language: Language, section: Section): string {
  const links = languagesOf(section)
    .filter((each) => each !== language)
    .map((each) => `<a href="?lang=${each}" lang="${each}">${names[each]}</a>`);
  return links.length === 1 ? links.join('') : `<details class="langs"><summary>${language === 'en' ? 'EN' : names[language]}</summary><p>${links.join('')}</p></details>`;
}

function frame(language: Language, section: Section, title: string, head: string, main: string, tail: string): string {
  const t = dictionaries[language].common;
  // Fans need neither the API nor the console.
  const operators = forOperators(section) ? `<a href="/docs">${t.docs}</a><a href="/console">${t.console}</a>` : '';
  const link = (href: string, text: string, current: boolean) =>
    `<a href="${href}"${current ? ' aria-current="page"' : ''}>${text}</a>`;
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escape(title)}</title><link rel="icon" href="/favicon.svg">${head}${operators ? '' : '{{head}}'}</head><body class="${section}">` +
    `<a class="skip" href="#main">${t.skip}</a><header class="top"><div class="wrap"><a class="brand" href="/"><span class="stamp" lang="ko">매진</span> {{site}}</a>` +
    `<nav>${link('/', t.events, section === 'home')}${link('/rankings', t.rankings, section === 'rankings')}${link('/me', t.mine, section === 'me')}</nav>` +
    `${languageMenu(language, section)}${head.includes('<script') ? `<button class="plain" id="theme" type="button" aria-label="${t.theme}" title="${t.theme}">◐</button>` : ''}</div></header>` +
    `<main id="main" class="wrap" tabindex="-1">${main}</main>` +
    `<footer class="foot"><div class="wrap"><span>${t.foot}</span>${operators || '{{foot}}'}</div></footer>${tail}</body></html>`
  );
}

// Words of the parts that the waiting page loads when it needs them (src/event/late.ts).
const endWords = ['missed', 'missedHint', 'closed', 'closedHint', 'cancelled', 'cancelledHint', 'soldOut', 'soldOutHint', 'left', 'missing', 'leaveSure', 'stay', 'leave'] as const;
export const lateWords = (language: Language): Record<string, string> => {
  const { common, event, late } = dictionaries[language];
  return { won: common.won, rankings: common.rankings, join: event.join, ...Object.fromEntries(endWords.map((key) => [key, event[key]])), ...late };
};

const onlyMarkup = new Set<string>(
  ['skip', 'events', 'rankings', 'mine', 'docs', 'console', 'theme', 'foot', 'loading', 'noscript', 'won', 'notFound', 'wentWrong', 'title'].concat(
    ['back', 'ruleOrder', 'ruleRefresh', 'ruleTab', 'number', 'eta', 'bar', 'notice', 'leave', 'leaveSure', 'stay', 'paused', 'enter', 'alert', 'ruleFair', 'turnLeft'],
    endWords,
  ),
);

// What the script of the waiting page in front of a site inserts.
const waitWords = new Set(['otherUser', 'reconnecting', 'turn', 'entered', 'paused', 'closed', 'cancelled', 'soldOut', 'missed', 'left', 'minute', 'etaUnknown', 'signIn', 'titleAhead', 'milestone']);

// The page's texts as data: a script of type application/json is not executed. `only`: the keys that the script uses.
function sentences(language: Language, section: Section, only?: Set<string>): string {
  const all = { ...dictionaries[language].common, ...wordsOf(language, section) };
  // Most texts of the waiting page are in its markup; its script gets only the texts that it inserts.
  const used = (key: string) => (only ? only.has(key) : section !== 'event' || !onlyMarkup.has(key));
  const words = Object.fromEntries(Object.entries(all).filter(([key]) => used(key)));
  return `<script type="application/json" id="text">${JSON.stringify(words).replaceAll('<', '\\u003c')}</script>`;
}

export function pageHtml(page: Page, language: Language, assets: Assets, body?: string): string {
  const words = dictionaries[language];
  const title = wordsOf(language, page)['title'] ?? '';
  const noscript = `<noscript><p class="notice">${words.common.noscript}</p></noscript>`;
  const app = `<div id="app"${page === 'seats' ? '{{test}}' : ''}><h1>${escape(title)}</h1><p class="muted">${words.common.loading}</p></div>${noscript}`;
  const main = body ?? (page === 'event' ? eventBody(words, assets.late ?? '') : app);
  // Without JavaScript the server renders the line and the seats, at the same address.
  const fallback = page === 'event' || page === 'seats' ? '<noscript><meta http-equiv="refresh" content="0;url=?plain=1"></noscript>' : '';
  // The server fills in the concert.
  const name = page === 'event' ? '{{page}}' : title;
  return frame(language, page, `${name} · {{site}}`, fallback + tags(assets), main, sentences(language, page));
}

// The waiting page in front of a site. {{name}} is replaced by escaped text; without JavaScript the browser asks again.
export function waitTemplates(language: Language, assets: Assets): Record<string, string> {
  const t = dictionaries[language].event;
  const styles = assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('');
  const again = '<noscript><meta http-equiv="refresh" content="5"></noscript>';
  const page = (head: string, inner: string, tail = '') =>
    frame(language, 'event', '{{page}} · {{site}}', head, `<div class="card stack narrow" id="wait" data-room="{{room}}" data-token="{{token}}" data-site="{{host}}"><h1>{{title}}</h1>${inner}</div>`, tail);
  const fact = (label: string, id: string, big = '') => `<div><dt>${label}</dt><dd class="${big}num" id="${id}">{{${id}}}</dd></div>`;
  return {
    'wait.html': page(
      again + tags(assets),
      `<p class="muted small">{{host}}</p><p id="notice" role="note">{{notice}}</p><dl class="facts">${fact(t.ahead, 'ahead', 'big ')}${fact(t.number, 'number')}${fact(t.eta, 'eta')}</dl>` +
        `<p id="say" role="status"></p><p class="sr" role="status" id="status"></p><button class="button primary wide" id="enter" type="button" hidden>${dictionaries[language].maintenance.again}</button><ul class="rules small muted"><li>${t.ruleOrder}</li><li>${t.ruleRefresh} ${t.ruleTab}</li></ul>`,
      sentences(language, 'event', waitWords),
    ),
    'wait-refused.html': page(styles, '<p class="notice" role="alert">{{reason}}</p>'),
  };
}

// Pages that the server fills itself: {{name}} is replaced by escaped text.
export function plainTemplates(language: Language, assets: Assets): Record<string, string> {
  const words = dictionaries[language];
  const t = words.event;
  const head = assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('');
  const card = (inner: string) => frame(language, 'event', '{{page}} · {{site}}', head, `<div class="card stack narrow"><p class="muted">{{artist}} · {{venue}}</p><h1>{{concert}}</h1>{{trouble}}${inner}<p class="small"><a href="/events/{{event}}/bookings">${words.common.mine}</a></p></div>`, '');
  const form = (action: string, label: string, kind = 'primary wide') =>
    `<form method="post" action="/events/{{event}}/plain"><input type="hidden" name="do" value="${action}"><button class="button ${kind}">${label}</button></form>`;
  const notice = '{{notice}}';
  const waiting = (paused: string) =>
    card(
      `<dl class="facts"><div><dt>${t.ahead}</dt><dd class="big num">{{ahead}}</dd></div>${fact(t.number, '{{number}}')}${fact(t.eta, '{{eta}}')}</dl>` +
        `${paused}${notice}<p class="muted small">${updated}</p>${form('leave', t.leave, '')}`,
    );
  const updated = t.updated.replace('{time}', '{{updated}}');
  const [s, m] = [words.seats, words.me];
  const fact = (label: string, value: string) => `<div><dt>${label}</dt><dd class="num">${value}</dd></div>`;
  const booked = `{{moved}}<dl class="facts">${fact(m.when, '{{date}}')}${fact(s.seats, '{{seats}}')}${fact(s.total, '{{amount}}')}</dl>`;
  const act = (action: string, label: string, kind: string) =>
    `<form method="post" action="/events/{{event}}/bookings/{{booking}}"><input type="hidden" name="do" value="${action}"><button class="button ${kind}">${label}</button></form>`;
  const again = `<p><a class="button primary" href="/events/{{event}}?plain=1">${s.chooseAgain}</a></p>`;
  const amount = (sentence: string) => sentence.replace('{amount}', '{{amount}}');
  const end = (heading: string, hint: string, more = '') => card(`<h2>${heading}</h2><p>${hint}</p>${more}`);
  const error = (heading: string) =>
    frame(language, 'event', `${heading} · {{site}}`, head, `<div class="card stack narrow"><h1>${heading}</h1><p>{{detail}}</p><p><a class="button primary" href="/">${t.back}</a></p><p class="muted small num">{{status}} {{code}}</p></div>`, '');
  return {
    'plain-undated.html': card(`<p>${t.notDated}</p>`),
    'plain-before.html': card(`<p>${t.opensAt.replace('{time}', '<strong>{{opens}}</strong>')}</p><ul class="rules"><li>${t.ruleRefresh}</li><li>${t.ruleTab}</li></ul>${form('join', t.join)}`),
    'plain-open.html': card(`<ul class="rules"><li>${t.ruleOrder}</li><li>${t.ruleRefresh}</li></ul>${form('join', t.join)}`),
    'plain-lobby.html': card(
      `<p>${t.opensAt.replace('{time}', '<strong>{{opens}}</strong>')}</p><dl class="facts">${fact(t.number, '{{number}}')}${fact(t.eta, t.drawn)}</dl>${notice}<p class="muted small">${updated}</p>${form('leave', t.leave, '')}`,
    ),
    'plain-waiting.html': waiting(''),
    'plain-paused.html': waiting(`<p class="notice">${t.paused}</p>`),
    'plain-turn.html': card(`<h2>${t.turn}</h2><p>${t.turnHint} ${t.turnLeft.replace('{time}', '<strong class="num">{{left}}</strong>')}</p>${form('enter', t.enter)}`),
    'plain-entered.html': card(`<h2>${t.entered}</h2><p>${t.enteredHint}</p><p><a class="button primary" href="/events/{{event}}/seats?plain=1">${t.enter}</a></p>${form('leave', t.leave, '')}`),
    'plain-sold-out.html': end(t.soldOut, t.soldOutHint, `<p><a class="button" href="/rankings">${words.common.rankings}</a></p>`),
    'plain-kept.html': end(t.soldOut, words.late.soldOutKept.replace('{n}', '{{number}}'), form('leave', t.leave, '')),
    'plain-closed.html': end(t.closed, t.closedHint),
    'plain-cancelled.html': end(t.cancelled, t.cancelledHint),
    'plain-seats.html': card(
      `<h2>${s.best}</h2><form class="stack" method="post" action="/events/{{event}}/seats/plain"><input type="hidden" name="key" value="{{key}}">` +
        `<p><label for="schedule">${s.date}</label><br><select class="button" id="schedule" name="schedule">{{dates}}</select></p>` +
        `<p><label for="count">${s.howMany}</label><br><select class="button" id="count" name="count">{{counts}}</select></p>` +
        `<p class="muted small">${s.limit.replace(/\{n\|([^|]*)\|([^}]*)\}/, '$2').replace('{n}', '{{limit}}')} · ${words.home.from.replace('{price}', '{{price}}')}</p>` +
        `<button class="button primary wide">${s.bestHold}</button></form>${form('leave', s.leave, '')}`,
    ),
    'plain-hold.html': card(
      `${booked}<p>${s.heldFor}: <strong class="num">{{left}}</strong> <span class="muted small num">({{until}})</span></p><p class="notice"{{real}}>${s.testPayment}</p>` +
        `${act('pay', amount(s.pay), 'primary wide')}${act('release', s.giveBack, '')}`,
    ),
    'plain-paying.html': card(`<h2>${s.paying}</h2><p>${s.payingHint}</p>${booked}`),
    'plain-ticket.html': card(
      `<h2>${s.booked}</h2>${booked}<p>${s.code}: <strong class="num">{{code}}</strong></p><p>${m.doorHint}</p><ul class="stack qr">{{tickets}}</ul>` +
        `<p><a href="/events/{{event}}/bookings/{{booking}}?cancel=1">${m.cancel}</a></p>`,
    ),
    'plain-cancel.html': card(
      `<h2>${m.cancelSure}</h2>${booked}<p>${amount(m.cancelRefund)}</p>${act('cancel', m.cancelNow, '')}<p><a class="button primary" href="/events/{{event}}/bookings/{{booking}}">${m.keep}</a></p>`,
    ),
    'plain-expired.html': end(s.expired, s.expiredHint, again),
    'plain-released.html': end(m.cancelledOne, s.expiredHint, again),
    'plain-refunding.html': end(s.refundedTitle, amount(s.refundingAmount), booked),
    'plain-refunded.html': end(s.refundedTitle, amount(s.refundedAmount), booked),
    'plain-bookings.html': card(`<h2>${m.title}</h2><ul class="stack">{{list}}</ul>`),
    'plain-no-bookings.html': end(m.title, m.empty),
    'maintenance.html': frame(language, 'event', `${words.maintenance.title} · {{site}}`, head, `<div class="card stack narrow"><h1>${words.maintenance.title}</h1><p>${words.maintenance.hint}</p><p class="muted small">${words.maintenance.retry}</p><p><a class="button" href="">${words.maintenance.again}</a></p></div>`, ''),
    'error-missing.html': error(words.common.notFound),
    'error.html': error(words.common.wentWrong),
  };
}

// Explains a refusal to developers.
export function problemTemplate(language: OperatorLanguage, assets: Assets): string {
  const head = assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('');
  const title = operatorDictionaries[language].docs.title;
  return frame(language, 'docs', '{{code}} · {{site}}', head, `<div class="card stack narrow"><p class="muted num">{{status}}</p><h1><code>{{code}}</code></h1><p>{{detail}}</p><p><a href="/docs">${title}</a></p></div>`, '');
}
