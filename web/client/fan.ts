// A fan's identity, and the line of a room. Tokens stay in the browser's storage over a closed tab.
import { newKey, request, type Answer, type Call } from './http.ts';
import { Line, type LineState } from './line.ts';
import { kept } from './storage.ts';

export interface FanOptions {
  // The server's address; "": the page's own.
  base?: string;
  // The operator's signed user token; without one, the name of a trusted user, or a generated one.
  userToken?: string | null;
  userId?: string;
  // Of refusals; default: the page's.
  language?: string;
}

function generatedName(): string {
  const old = kept.getItem('maejin:fan');
  if (old) return old;
  const fresh = `fan-${newKey().slice(0, 12)}`;
  kept.setItem('maejin:fan', fresh);
  return fresh;
}

export class Fan {
  readonly base: string;
  readonly signed: string | null;
  readonly userId: string;
  readonly #language: string | undefined;

  constructor({ base = '', userToken = null, userId, language }: FanOptions = {}) {
    this.base = base.replace(/\/$/, '');
    this.signed = userToken;
    this.userId = userId ?? (userToken ? '' : generatedName());
    this.#language = language;
  }

  get name(): string {
    return this.signed ?? this.userId;
  }
  // The body field that names a trusted user.
  who(): { userId?: string } {
    return this.signed ? {} : { userId: this.userId };
  }
  tokenOf(room: string): string | null {
    return kept.getItem(`maejin:token:${room}`);
  }
  keepToken(room: string, token: string | null): void {
    if (token) kept.setItem(`maejin:token:${room}`, token);
    else kept.removeItem(`maejin:token:${room}`);
  }

  // `room`: sends the token of this room.
  call<T>(path: string, { room, headers, ...options }: Call & { room?: string } = {}): Promise<Answer<T> | null> {
    const all: Record<string, string> = this.signed ? { Authorization: `Bearer ${this.signed}` } : { 'X-User-Id': this.userId };
    const token = room === undefined ? null : this.tokenOf(room);
    if (token) all['X-Queue-Token'] = token;
    const language = this.#language ?? document.documentElement.lang;
    return request<T>(this.base + path, { ...options, headers: { ...all, ...headers } }, language);
  }

  line(room: string, onchange?: (state: LineState) => void): Line {
    return new Line(this, room, onchange);
  }
}
