// <maejin-line room="main" return="https://shop.example/buy">: the line inside an organiser's own page.
//   server     the address of maejin; default: where this module comes from
//   room       the room's id
//   return     where the browser goes once the fan is inside; without it, a button enters and the page hears "maejin-entered"
//   gate       the return address is behind a connector: the browser goes there with a return code (the room's returnUrls allow it)
//   user       the operator's signed user token; without it, a name that the browser generates
//   lang       en, ko, ja or zh-Hant; default: the page's
// Events: "maejin-change" (detail: LineState); "maejin-entered" (detail: token, pass, expiresIn), before the browser goes to
// `return`; preventDefault() keeps it here.
import type { Entered, Entry } from './contract.ts';
import { Fan } from './fan.ts';
import { endOf, type Line, type LineState } from './line.ts';
import { EnterPace } from './pace.ts';
import { lineWords, type LineWords } from './words.ts';

const sheet = `
:host { display: block; font: inherit; color: inherit }
[hidden] { display: none !important }
p { margin: .25em 0 }
.ahead { font-size: 2.5em; font-weight: 800; line-height: 1.1; font-variant-numeric: tabular-nums }
.small { font-size: .85em }
button { font: inherit; font-weight: 700; padding: .7em 1.2em; border: 0; border-radius: .6em; cursor: pointer; background: var(--maejin-accent, #b9252b); color: var(--maejin-on-accent, #fff) }
.leave { background: none; color: inherit; text-decoration: underline; font-weight: 400; padding-inline: 0 }`;

const fill = (sentence: string, values: Record<string, string | number>) => sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

// "zh-TW" → "zh-Hant": there is one Chinese only.
function languageOf(tag: string): keyof typeof lineWords {
  const primary = tag.slice(0, 2).toLowerCase();
  return primary === 'ko' || primary === 'ja' ? primary : primary === 'zh' ? 'zh-Hant' : 'en';
}

// Only an address of the web: an attribute never runs a script.
function target(value: string | null): string | null {
  const url = value === null ? null : URL.parse?.(value, location.href) ?? new URL(value, location.href);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

export class MaejinLine extends HTMLElement {
  #line: Line | null = null;
  #stop = () => {};
  #words: LineWords = lineWords.en;
  readonly #pace = new EnterPace();
  #refused = '';
  readonly #root = this.attachShadow({ mode: 'open' });

  connectedCallback(): void {
    const room = this.getAttribute('room');
    if (!room) return;
    const language = languageOf(this.getAttribute('lang') ?? document.documentElement.lang);
    this.#words = lineWords[language];
    this.#build(language);
    const base = this.getAttribute('server') ?? new URL(import.meta.url).origin;
    const fan = new Fan({ base, userToken: this.getAttribute('user'), language });
    const line = fan.line(room, (state) => this.#show(state));
    this.#line = line;
    const timer = setInterval(() => this.#show(line.state), 1000);
    const unfollow = line.follow();
    this.#stop = () => {
      clearInterval(timer);
      unfollow();
    };
    void this.#join();
  }
  disconnectedCallback(): void {
    this.#stop();
    this.#line = null;
  }

  // Joining again returns the same place, so that a reload or a second tab keeps it.
  async #join(): Promise<void> {
    this.#refused = '';
    this.#pace.reset();
    const answer = await this.#line?.join();
    if (answer?.problem) this.#refused = answer.problem.detail ?? answer.problem.code;
    if (this.#line) this.#show(this.#line.state);
  }
  async #enter(pressed: boolean): Promise<void> {
    const line = this.#line;
    if (!line) return;
    const url = target(this.getAttribute('return'));
    const answer = await this.#pace.run(() => line.enter(true, url && this.hasAttribute('gate') ? url : undefined), pressed);
    if (answer === undefined) return;
    this.#refused = answer?.problem ? (answer.problem.detail ?? answer.problem.code) : '';
    if (answer?.data) this.#entered(answer.data, url);
  }
  #entered(detail: Entered, url: string | null): void {
    const going = this.dispatchEvent(new CustomEvent('maejin-entered', { detail, cancelable: true, bubbles: true, composed: true }));
    if (going && url) location.assign(detail.returnUrl ?? url);
  }

  #build(language: string): void {
    const styles = new CSSStyleSheet();
    styles.replaceSync(sheet);
    this.#root.adoptedStyleSheets = [styles];
    const w = this.#words;
    this.#root.innerHTML =
      `<div lang="${language}"><p class="label"></p><p class="ahead"></p><p class="eta"></p><p class="notice"></p>` +
      `<p class="say" role="status"></p><button class="enter" type="button">${w.enter}</button> ` +
      `<button class="again" type="button">${w.join}</button> <button class="leave" type="button">${w.leave}</button></div>`;
    const press = (name: string, act: () => void) => ((this.#root.querySelector(`.${name}`) as HTMLButtonElement).onclick = act);
    press('enter', () => void this.#enter(true));
    press('again', () => void this.#join());
    press('leave', () => void this.#line?.leave());
  }
  #put(name: string, text: string): void {
    const element = this.#root.querySelector(`.${name}`) as HTMLElement;
    element.hidden = text === '';
    if (element.textContent !== text) element.textContent = text;
  }
  #waitText({ eta }: Entry): string {
    const w = this.#words;
    if (!eta) return `${w.eta}: ${w.etaUnknown}`;
    const minutes = (seconds: number) => Math.max(1, Math.ceil(seconds / 60));
    const [from, to] = [minutes(eta.p50Seconds), minutes(Math.max(eta.p50Seconds, eta.p90Seconds))];
    return `${w.eta}: ${fill(w.minute, { n: from === to ? from : `${from}–${to}` })}`;
  }
  #show(state: LineState): void {
    if (!this.#line) return;
    const w = this.#words;
    const { entry } = state;
    const end = endOf(entry);
    const waiting = entry?.status === 'waiting' && !end;
    const turn = entry?.status === 'ready' && !end;
    const inside = entry?.status === 'entered' && entry.ended !== 'cancelled';
    if (!entry) this.#pace.reset();
    this.#put('label', waiting && entry.aheadCount !== null ? w.ahead : '');
    this.#put('ahead', waiting && entry.aheadCount !== null ? entry.aheadCount.toLocaleString() : '');
    this.#put('eta', waiting ? (entry.aheadCount === null ? w.drawn : this.#waitText(entry)) : turn && state.endsAt ? fill(w.turnLeft, { time: clock(state.endsAt - Date.now()) }) : '');
    this.#put('notice', entry?.notice ?? '');
    const ended = state.ended === 'left' ? w.left : state.ended === 'missed' ? w.missed : '';
    const standing = end ? w[end] : turn ? w.turn : inside ? w.entered : waiting && entry.state === 'paused' ? w.paused : ended;
    this.#put('say', this.#refused || (state.failures > 0 ? w.reconnecting : standing));
    const show = (name: string, yes: boolean) => ((this.#root.querySelector(`.${name}`) as HTMLElement).hidden = !yes);
    show('enter', turn || inside);
    show('again', !entry && (ended !== '' || this.#refused !== ''));
    show('leave', entry !== null);
    this.dispatchEvent(new CustomEvent('maejin-change', { detail: state }));
    // With a way back no click is needed, while the fan looks at the page.
    if ((turn || inside) && this.hasAttribute('return') && !document.hidden) void this.#enter(false);
  }
}

if (!customElements.get('maejin-line')) customElements.define('maejin-line', MaejinLine);
