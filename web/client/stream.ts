// One event stream for all tabs of a browser: the leader listens while it is visible and relays what it hears.
import { hidden, Tabs } from './tabs.ts';

// Delay before a broken stream is reopened, with jitter.
const listenAgain = () => 2000 + Math.random() * 3000;
const beatMs = 15_000;

// `open` and `lost` are the states of the stream; the others are its events, with their data.
export interface Heard {
  type: string;
  data: string;
  // From a stream of this tab.
  here: boolean;
}

// `url`: asked each time a stream is opened. Returns a function that ends it.
export function sharedStream(name: string, url: () => string, types: string[], hear: (heard: Heard) => void): () => void {
  let source: EventSource | null = null;
  let open = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  const tell = (type: string, data = '') => {
    hear({ type, data, here: true });
    tabs.send({ type, data, here: false }, beatMs);
  };
  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
    if (open) tell('lost');
    open = false;
  };
  const retry = () => {
    close();
    if (tabs.leads) again = setTimeout(listen, listenAgain());
  };
  function listen(): void {
    clearTimeout(again);
    if (source || !tabs.leads || hidden() || !('EventSource' in globalThis)) return;
    source = new EventSource(url());
    source.onopen = () => {
      open = true;
      tell('open');
    };
    source.onerror = retry;
    source.addEventListener('reconnect', retry);
    for (const type of types) source.addEventListener(type, (event: MessageEvent<string>) => tell(type, event.data));
  }
  const state = () => tabs.send({ type: open ? 'open' : 'lost', data: '', here: false }, beatMs);
  const tabs = new Tabs<Heard>(name, {
    lead: (yes) => (yes ? listen() : close()),
    hear,
    report: state,
  });
  const beat = setInterval(() => tabs.leads && state(), beatMs);
  const onvisibility = () => {
    if (!tabs.leads) return;
    if (hidden()) close();
    else listen();
    state();
  };
  document.addEventListener('visibilitychange', onvisibility);
  return () => {
    clearInterval(beat);
    document.removeEventListener('visibilitychange', onvisibility);
    close();
    tabs.end();
  };
}
