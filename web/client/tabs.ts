// The tabs of one browser that show the same thing: one of them leads, the others mirror it. Over HTTP/1.1 a browser has six
// connections for a server; a stream in every tab would take them all.

import { kept } from './storage.ts';

export const hidden = (): boolean => document.hidden;

// How a tab gets and keeps the lead.
interface Lease {
  // Takes the lead from another tab.
  steal(): void;
  end(): void;
}
type Leads = (yes: boolean) => void;

// Web Locks: the browser frees the lock of a closed or crashed tab, and gives it to the next one in its queue.
function lockLease(name: string, leads: Leads): Lease {
  let ended = false;
  let release: (() => void) | null = null;
  let waiting = new AbortController();
  // The browser may grant a request while this tab steals the lock: only the newest request counts.
  let newest = 0;
  async function take(steal: boolean): Promise<void> {
    const request = ++newest;
    let had = false;
    const held = () =>
      new Promise<void>((done) => {
        if (ended || request !== newest) return done();
        had = true;
        release = done;
        leads(true);
      });
    waiting = new AbortController();
    try {
      await navigator.locks.request(name, steal ? { steal } : { signal: waiting.signal }, held);
    } catch (error) {
      // Aborted in the queue: `steal` takes the lock instead. A browser that refuses locks leaves the tab on its own.
      if (request !== newest) return;
      if (!had) return (error as Error).name === 'AbortError' ? undefined : leads(true);
      // Another tab stole the lock: wait in the queue.
      release = null;
      leads(false);
      if (!ended) void take(false);
    }
  }
  void take(false);
  return {
    steal() {
      if (release || ended) return;
      waiting.abort();
      void take(true);
    },
    end() {
      ended = true;
      waiting.abort();
      release?.();
    },
  };
}

// Without a secure context there are no Web Locks: the leader renews a lease in the storage, and another tab takes an expired one.
const leaseMs = 5000;
export function storageLease(name: string, leads: Leads): Lease {
  const me = Math.random().toString(36).slice(2);
  let mine = false;
  const take = () => {
    kept.setItem(name, `${me} ${Date.now() + leaseMs}`);
    if (!mine) leads((mine = true));
  };
  const look = () => {
    const [owner, until] = (kept.getItem(name) ?? '').split(' ');
    if (owner === me || !(Number(until) > Date.now())) take();
    else if (mine) leads((mine = false));
  };
  queueMicrotask(look);
  const timer = setInterval(look, 1000);
  return {
    steal: take,
    end() {
      clearInterval(timer);
      if (mine) kept.removeItem(name);
    },
  };
}

interface Envelope<M> {
  // From the leader, with the time until its next message.
  from?: { hidden: boolean; nextMs: number };
  // A new tab asks the leader for its state.
  ask?: boolean;
  message?: M;
}

// A silent leader is replaced after its announced time and this.
const patienceMs = 10_000;
const askPatienceMs = 2000;

export class Tabs<M> {
  leads = false;
  readonly #channel: BroadcastChannel | null;
  readonly #lease: Lease | null = null;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  readonly #onvisibility = () => {
    if (!this.leads) this.#ask();
  };

  // `lead`: this tab has become the leader, or no longer is. `hear`: a message of another tab. `report`: the leader's state, for
  // a tab that asks.
  constructor(
    name: string,
    readonly on: { lead: (yes: boolean) => void; hear: (message: M) => void; report: () => void },
  ) {
    const alone = !('BroadcastChannel' in globalThis);
    this.#channel = alone ? null : new BroadcastChannel(name);
    if (!this.#channel) {
      this.leads = true;
      queueMicrotask(() => on.lead(true));
      return;
    }
    this.#channel.onmessage = ({ data }: MessageEvent<Envelope<M>>) => this.#take(data);
    const leads = (yes: boolean) => {
      this.leads = yes;
      clearTimeout(this.#watchdog);
      on.lead(yes);
    };
    this.#lease = navigator.locks ? lockLease(name, leads) : storageLease(name, leads);
    document.addEventListener('visibilitychange', this.#onvisibility);
    this.#ask();
  }

  // `nextMs`: the leader sends its next message within this time; 0: it may stay silent.
  send(message: M, nextMs = 0): void {
    this.#channel?.postMessage({ message, ...(this.leads && { from: { hidden: hidden(), nextMs } }) } satisfies Envelope<M>);
  }
  end(): void {
    clearTimeout(this.#watchdog);
    document.removeEventListener('visibilitychange', this.#onvisibility);
    this.#lease?.end();
    this.#channel?.close();
  }

  #ask(): void {
    if (hidden()) return;
    this.#channel?.postMessage({ ask: true } satisfies Envelope<M>);
    this.#watch(askPatienceMs);
  }
  #watch(ms: number): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      if (!this.leads && !hidden()) this.#lease?.steal();
    }, ms);
  }
  #take({ ask, from, message }: Envelope<M>): void {
    if (ask && this.leads) this.on.report();
    if (message !== undefined) this.on.hear(message);
    if (!from || this.leads) return;
    clearTimeout(this.#watchdog);
    // A hidden leader has no stream: a visible tab takes over.
    if (from.hidden && !hidden()) this.#lease?.steal();
    else if (from.nextMs > 0) this.#watch(from.nextMs + patienceMs);
  }
}
