// The frame of every page, and the pages that are HTML only.
import { en } from '../src/text/en.ts';
import { ko } from '../src/text/ko.ts';
import type { Dictionary, Section } from '../src/text/index.ts';
import { eventBody } from './event_body.ts';
import { escape } from './html.ts';

export type Language = 'en' | 'ko';
export const languages: Language[] = ['en', 'ko'];
export const dictionaries: Record<Language, Dictionary> = { en, ko };
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

// `switchTo`: the address of the page in the other language.
function frame(language: Language, section: Section, title: string, head: string, main: string, tail: string): string {
  const t = dictionaries[language].common;
  // Fans need neither the API nor the console.
  const operators = section === 'docs' || section === 'console' ? `<a href="/docs">${t.docs}</a><a href="/console">${t.console}</a>` : '';
  const link = (href: string, text: string, current: boolean) =>
    `<a href="${href}"${current ? ' aria-current="page"' : ''}>${text}</a>`;
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escape(title)}</title><link rel="icon" href="/favicon.svg">${head}</head><body class="${section}">` +
    `<a class="skip" href="#main">${t.skip}</a><header class="top"><div class="wrap"><a class="brand" href="/"><span class="stamp" lang="ko">매진</span> {{site}}</a>` +
    `<nav>${link('/', t.events, section === 'home')}${link('/rankings', t.rankings, section === 'rankings')}${link('/me', t.mine, section === 'me')}</nav>` +
    `<a href="?lang=${t.languageCode}" lang="${t.languageCode}" hreflang="${t.languageCode}">${t.language}</a>` +
    `${head.includes('<script') ? `<button class="plain" id="theme" type="button" aria-label="${t.theme}" title="${t.theme}">◐</button>` : ''}</div></header>` +
    `<main id="main" class="wrap" tabindex="-1">${main}</main>` +
    `<footer class="foot"><div class="wrap"><span>${t.foot}</span>${operators || '{{foot}}'}</div></footer>${tail}</body></html>`
  );
}

// Words of the parts that the waiting page loads when it needs them (src/event/late.ts).
const endWords = ['missed', 'missedHint', 'closed', 'closedHint', 'cancelled', 'cancelledHint', 'soldOut', 'soldOutHint', 'left', 'missing', 'leaveSure', 'stay', 'leave'] as const;
export const lateWords = (language: Language): Record<string, string> => {
  const { common, event, late } = dictionaries[language];
  return { won: common.won, ...Object.fromEntries(endWords.map((key) => [key, event[key]])), ...late };
};

const onlyMarkup = new Set<string>(
  ['skip', 'events', 'rankings', 'mine', 'docs', 'console', 'language', 'languageCode', 'theme', 'foot', 'loading', 'noscript', 'won', 'notFound', 'wentWrong', 'title'].concat(
    ['back', 'ruleOrder', 'ruleRefresh', 'ruleTab', 'number', 'eta', 'bar', 'notice', 'leave', 'leaveSure', 'stay', 'paused', 'enter', 'alert', 'ruleFair', 'turnLeft'],
    endWords,
  ),
);

// The page's texts as data: a script of type application/json is not executed.
function sentences(language: Language, section: Section): string {
  const all = { ...dictionaries[language].common, ...dictionaries[language][section] };
  // Most texts of the waiting page are in its markup; its script gets only the texts that it inserts.
  const words = section === 'event' ? Object.fromEntries(Object.entries(all).filter(([key]) => !onlyMarkup.has(key))) : all;
  return `<script type="application/json" id="text">${JSON.stringify(words).replaceAll('<', '\\u003c')}</script>`;
}

export function pageHtml(page: Page, language: Language, assets: Assets, body?: string): string {
  const words = dictionaries[language];
  const title = page === 'home' ? words.home.title : words[page].title;
  const noscript = `<noscript><p class="notice">${words.common.noscript}</p></noscript>`;
  const app = `<div id="app"${page === 'seats' ? '{{test}}' : ''}><h1>${escape(title)}</h1><p class="muted">${words.common.loading}</p></div>${noscript}`;
  const main = body ?? (page === 'event' ? eventBody(words, assets.late ?? '') : app);
  // Without JavaScript the server renders the line, at the same address.
  const fallback = page === 'event' ? '<noscript><meta http-equiv="refresh" content="0;url=?plain=1"></noscript>' : '';
  // The server fills in the concert.
  const [name, about] = page === 'event' ? ['{{page}}', '{{head}}'] : [title, ''];
  return frame(language, page, `${name} · {{site}}`, about + fallback + tags(assets), main, sentences(language, page));
}

// The waiting page in front of a site. {{name}} is replaced by escaped text; without JavaScript the browser asks again.
export function waitTemplates(language: Language, assets: Assets): Record<string, string> {
  const t = dictionaries[language].event;
  const styles = assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('');
  const again = '<noscript><meta http-equiv="refresh" content="5"></noscript>';
  const page = (head: string, inner: string, tail = '') =>
    frame(language, 'event', '{{page}} · {{site}}', head, `<div class="card stack narrow" id="wait" data-room="{{room}}" data-token="{{token}}" data-site="{{site}}"><h1>{{title}}</h1>${inner}</div>`, tail);
  const fact = (label: string, id: string, big = '') => `<div><dt>${label}</dt><dd class="${big}num" id="${id}">{{${id}}}</dd></div>`;
  return {
    'wait.html': page(
      again + tags(assets),
      `<p class="muted small">{{site}}</p><p id="notice" role="note">{{notice}}</p><dl class="facts">${fact(t.ahead, 'ahead', 'big ')}${fact(t.number, 'number')}${fact(t.eta, 'eta')}</dl>` +
        `<p id="say" role="status"></p><ul class="rules small muted"><li>${t.ruleOrder}</li><li>${t.ruleRefresh} ${t.ruleTab}</li></ul>`,
      sentences(language, 'event'),
    ),
    'wait-refused.html': page(styles, '<p class="notice" role="alert">{{reason}}</p>'),
  };
}

// Pages that the server fills itself: {{name}} is replaced by escaped text.
export function plainTemplates(language: Language, assets: Assets): Record<string, string> {
  const words = dictionaries[language];
  const t = words.event;
  const head = assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('');
  const card = (inner: string) => frame(language, 'event', '{{page}} · {{site}}', head, `<div class="card stack narrow"><p class="muted">{{artist}} · {{venue}}</p><h1>{{concert}}</h1>${inner}</div>`, '');
  const form = (action: string, label: string, kind = 'primary wide') =>
    `<form method="post" action="/events/{{event}}/plain"><input type="hidden" name="do" value="${action}"><button class="button ${kind}">${label}</button></form>`;
  const notice = '{{notice}}';
  const error = (heading: string) =>
    frame(language, 'event', `${heading} · {{site}}`, head, `<div class="card stack narrow"><h1>${heading}</h1><p>{{detail}}</p><p><a class="button primary" href="/">${t.back}</a></p><p class="muted small num">{{status}} {{code}}</p></div>`, '');
  return {
    'plain-before.html': card(`<p>${t.opensIn}: <strong>{{opens}}</strong></p><ul class="rules"><li>${t.ruleOrder}</li><li>${t.ruleRefresh}</li></ul>${form('join', t.join)}`),
    'plain-waiting.html': card(
      `<dl class="facts"><div><dt>${t.ahead}</dt><dd class="big num">{{ahead}}</dd></div><div><dt>${t.number}</dt><dd class="num">{{number}}</dd></div>` +
        `<div><dt>${t.eta}</dt><dd class="num">{{eta}}</dd></div></dl>${notice}<p class="muted small">{{updated}}</p>${form('leave', t.leave, '')}`,
    ),
    'plain-turn.html': card(`<h2>${t.turn}</h2><p>${t.turnHint}</p>${form('enter', t.enter)}`),
    'plain-entered.html': card(`<h2>${t.entered}</h2><p>${t.enteredHint}</p><p><a class="button primary" href="/events/{{event}}/seats">${t.enter}</a></p>${form('leave', t.leave, '')}`),
    'plain-ended.html': card(`<h2>{{heading}}</h2><p>{{hint}}</p>${form('join', t.join)}`),
    'maintenance.html': frame(language, 'event', `${words.maintenance.title} · maejin`, head, `<div class="card stack narrow"><h1>${words.maintenance.title}</h1><p>${words.maintenance.hint}</p><p class="muted small">${words.maintenance.retry}</p><p><a class="button" href="">${words.maintenance.again}</a></p></div>`, ''),
    'error-missing.html': error(words.common.notFound),
    'error.html': error(words.common.wentWrong),
    'problem.html': frame(language, 'docs', '{{code}} · {{site}}', head, `<div class="card stack narrow"><p class="muted num">{{status}}</p><h1><code>{{code}}</code></h1><p>{{detail}}</p><p><a href="/docs">${words.docs.title}</a></p></div>`, ''),
  };
}
