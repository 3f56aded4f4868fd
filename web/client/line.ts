// A place in a room's line: joins, follows it in all tabs of the browser, enters, leaves.
import type { Entered, Entry } from './contract.ts';
import type { Fan } from './fan.ts';
import { newKey, nextPoll, rest, unanswered, type Answer, type Problem } from './http.ts';
import { hidden, Tabs } from './tabs.ts';

export interface LineState {
  entry: Entry | null;
  // Why the entry ended.
  ended: 'missed' | 'left' | null;
  // Calls in a row without an answer.
  failures: number;
  // A stream is open, in this tab or in the leading one.
  live: boolean;
  // By the device's clock: the last answer, and the end of the turn or of the session (0: unknown).
  updatedAt: number;
  endsAt: number;
  // The last poll was refused, and the place is kept: the user token has expired.
  problem: Problem | null;
}
const nothing: LineState = { entry: null, ended: null, failures: 0, live: false, updatedAt: 0, endsAt: 0, problem: null };

interface Message {
  state: LineState;
  // Another tab joined, entered or left: the leader looks again.
  acted: boolean;
}

// The count ahead is unknown before the draw, and for a moment after a loss; then the last known count is kept.
export function withRank(entry: Entry, before: Entry | null): Entry {
  if (entry.aheadCount !== null || entry.state === 'pre-queue' || entry.state === 'scheduled' || before?.number !== entry.number) return entry;
  return { ...entry, rank: before.rank, aheadCount: before.aheadCount, position: before.position };
}

// Why there is nothing to wait for. A visitor inside may go on after the room has closed or the last seat was paid.
export function endOf(entry: Entry | null): 'cancelled' | 'soldOut' | 'closed' | null {
  if (entry?.ended === 'cancelled') return 'cancelled';
  if (!entry || entry.status === 'entered') return null;
  if (entry.ended === 'sold-out') return 'soldOut';
  return entry.ended || entry.state === 'closed' ? 'closed' : null;
}

export class Line {
  state = nothing;
  #tabs: Tabs<Message> | null = null;
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryAfterMs = 0;
  #path: string;

  constructor(
    readonly fan: Fan,
    readonly room: string,
    readonly onchange: (state: LineState) => void = () => {},
  ) {
    this.#path = `/api/v1/rooms/${encodeURIComponent(room)}`;
  }

  // Follows the place until the returned function is called. One tab polls and listens for all.
  follow(): () => void {
    const tabs = new Tabs<Message>(`maejin:line:${this.fan.base}:${this.room}:${this.fan.name}`, {
      lead: (yes) => (yes ? void this.refresh() : this.#rest()),
      hear: (message) => this.#mirror(message),
      report: () => this.#tell(),
    });
    this.#tabs = tabs;
    const wake = () => {
      if (!tabs.leads) return;
      if (hidden()) this.#unlisten();
      else void this.refresh();
      this.#tell();
    };
    document.addEventListener('visibilitychange', wake);
    addEventListener('online', wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      removeEventListener('online', wake);
      this.#rest();
      tabs.end();
      this.#tabs = null;
    };
  }

  // Retries without an answer, with the same key: the fan gets one place.
  async join(): Promise<Answer<Entry> | null> {
    const key = newKey();
    for (;;) {
      const answer = await this.fan.call<Entry>(`${this.#path}/entries`, {
        method: 'POST',
        body: this.fan.who(),
        headers: { 'Idempotency-Key': key },
      });
      this.#heard(answer);
      if (answer?.data) this.#take(answer.data, true);
      if (!unanswered(answer)) return answer;
      this.#set({});
      await rest(nextPoll(0, this.state.failures, Math.random(), this.#retryAfterMs));
    }
  }

  // `pass`: also the signed pass, for a shop that verifies it. `returnTo`: the answer's `returnUrl` leads there, with a return code.
  async enter(pass = false, returnTo?: string): Promise<Answer<Entered> | null> {
    const headers: Record<string, string> = pass ? {} : { Prefer: 'return=minimal' };
    const answer = await this.fan.call<Entered>(`${this.#path}/enter`, { method: 'POST', body: returnTo ? { return: returnTo } : {}, headers, room: this.room });
    const { entry } = this.state;
    if (answer?.data && entry) this.#take({ ...entry, ...answer.data }, true);
    else void this.refresh();
    return answer;
  }

  async leave(): Promise<Answer<unknown> | null> {
    const answer = await this.fan.call(`${this.#path}/entries/me`, { method: 'DELETE', room: this.room });
    if (!unanswered(answer)) this.forget('left');
    return answer;
  }

  // Reads the place now; `always`: even without a token, by the fan's name.
  async refresh(always = false): Promise<void> {
    clearTimeout(this.#timer);
    const token = this.fan.tokenOf(this.room);
    if (always || token) {
      const answer = await this.fan.call<Entry>(`${this.#path}/entries/me`, { room: this.room });
      // The fan left or joined during the call: the answer is stale.
      if (this.fan.tokenOf(this.room) !== token) return this.#tabs?.leads ? this.#again(0) : undefined;
      this.#heard(answer);
      const refused = answer && [401, 403, 404].includes(answer.status);
      if (answer?.data) this.#take(answer.data, !this.#tabs?.leads);
      else if (refused && answer.status === 401 && this.fan.signed) this.#set({ problem: answer.problem ?? null });
      else if (refused) return this.forget('missed');
      else this.#set({});
    }
    if (!this.#tabs?.leads) return;
    if (this.fan.tokenOf(this.room)) this.#again(this.#pause());
    this.#listen();
    this.#tell();
  }

  // The place has ended, or is no longer needed.
  forget(ended: LineState['ended']): void {
    this.fan.keepToken(this.room, null);
    this.#rest();
    this.#set({ ...nothing, ended });
    this.#tell(true);
  }

  #pause(): number {
    return nextPoll(this.state.entry?.pollAfterMs ?? 2000, this.state.failures, Math.random(), this.#retryAfterMs);
  }
  #again(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), ms);
  }
  #set(change: Partial<LineState>): void {
    this.state = { ...this.state, ...change };
    this.onchange(this.state);
  }
  #tell(acted = false): void {
    this.#tabs?.send({ state: this.state, acted }, this.fan.tokenOf(this.room) ? this.#pause() : 0);
  }
  // Counts unanswered calls and keeps `Retry-After`.
  #heard(answer: Answer<unknown> | null): void {
    this.state = { ...this.state, failures: unanswered(answer) ? this.state.failures + 1 : 0 };
    this.#retryAfterMs = answer?.retryAfterMs ?? 0;
  }
  #take(entry: Entry, acted: boolean): void {
    if (entry.token) this.fan.keepToken(this.room, entry.token);
    const now = Date.now();
    // Polls extend the slot, but not beyond the session limit.
    const seconds = entry.sessionEndsIn ?? entry.expiresIn;
    const endsAt = seconds ? now + seconds * 1000 : 0;
    this.#set({ entry: withRank(entry, this.state.entry), ended: null, failures: 0, updatedAt: now, endsAt, problem: null });
    if (entry.status === 'entered') this.#unlisten();
    if (acted) {
      this.#tell(true);
      if (this.#tabs?.leads) this.#again(0);
    }
  }
  #mirror({ state, acted }: Message): void {
    this.#set(state);
    if (!this.#tabs?.leads || !acted) return;
    if (state.entry) this.#again(0);
    else this.#rest();
  }
  #rest(): void {
    clearTimeout(this.#timer);
    this.#unlisten();
  }

  // The stream gives quick updates; polls keep the place correct if a proxy blocks the stream.
  #listen(): void {
    const token = this.fan.tokenOf(this.room);
    const { entry } = this.state;
    if (this.#source || !token || !entry || entry.status === 'entered' || entry.state === 'closed' || hidden() || !('EventSource' in globalThis)) return;
    const source = new EventSource(`${this.fan.base}${this.#path}/stream?token=${encodeURIComponent(token)}`);
    this.#source = source;
    const live = (yes: boolean) => {
      if (this.#source !== source) return;
      this.#set({ live: yes });
      this.#tell();
    };
    source.onopen = () => live(true);
    source.onerror = () => {
      live(false);
      if (source.readyState === EventSource.CLOSED) this.#unlisten();
    };
    const place = ({ data }: MessageEvent<string>) => {
      this.#take(JSON.parse(data) as Entry, false);
      this.#tell();
    };
    // Each of them is a whole place with its token: a turn needs no further call to enter.
    for (const type of ['position', 'turn', 'entered']) source.addEventListener(type, place);
    source.addEventListener('gone', () => {
      this.#unlisten();
      void this.refresh();
    });
    source.addEventListener('reconnect', () => {
      this.#unlisten();
      this.#again(500 + Math.random() * 3000);
    });
  }
  #unlisten(): void {
    this.#source?.close();
    this.#source = null;
    if (this.state.live) this.#set({ live: false });
  }
}
