// The markup of all states of the waiting page; the script fills and shows them.
import type { FanDictionary } from '../src/text/index.ts';

// `late`: the address of the module of rarely needed parts.
export function eventBody({ event: t }: FanDictionary, late: string): string {
  return `<p class="small"><a href="/">← ${t.back}</a></p>
<article class="card ticket"><div id="art" class="art" data-late="${late}">{{art}}</div><div class="stub stack">
<header><p class="muted">{{who}}</p><h1>{{name}}</h1><p class="muted small" id="when"></p></header>
<p class="notice" id="trouble" role="alert" hidden></p>
<p class="notice" id="notice" hidden><strong>${t.notice}</strong> <span></span></p>
<p class="notice" id="paused" hidden>${t.paused}</p>
<div class="notice" id="moved" hidden></div>
<div class="notice" id="mine" hidden></div>
<p id="drawn" role="status" hidden></p>
<section id="before" class="stack" hidden><h2 class="label">${t.opensIn}</h2><p class="big num" id="countdown" role="timer">–</p>
<button class="button primary wide" id="join">${t.join}</button>
<ul class="rules"><li id="fair">${t.ruleFair}</li><li id="order">${t.ruleOrder}</li><li>${t.ruleRefresh}</li><li>${t.ruleTab}</li></ul></section>
<section id="waiting" class="stack" hidden><dl class="facts"><div><dt id="ahead-label">${t.ahead}</dt><dd class="big num" id="ahead">–</dd></div>
<div><dt>${t.number}</dt><dd class="num" id="number">–</dd></div><div><dt>${t.eta}</dt><dd class="num" id="eta">–</dd></div></dl>
<div class="bar" role="progressbar" id="bar" aria-label="${t.bar}"><i></i></div>
<p id="outlook" class="small" hidden></p>
<p class="small muted connection"><i id="dot"></i><span id="connection"></span> · <span id="updated" class="num"></span></p>
<ul class="rules small muted"><li>${t.ruleRefresh} ${t.ruleTab}</li></ul>
<button class="button" id="alert" aria-pressed="false">${t.alert}</button>
<button class="plain" id="leave">${t.leave}</button></section>
<section id="turn" class="stack" hidden><div role="alert" id="turn-alert"></div><p class="big num" role="timer" id="turn-left"></p>
<button class="button primary wide" id="enter">${t.enter}</button><button class="plain" id="leave-turn">${t.leave}</button></section>
<section id="ended" hidden></section>
<div id="ask" class="row" hidden></div>
<p class="sr" role="status" id="status"></p></div></article>`;
}
