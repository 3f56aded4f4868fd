import type { Answer } from './api.ts';

// Runs work now and every `ms` while the page is visible; returns a function that stops it. The first run is deferred, so that
// an effect that calls this does not depend on state that the work reads. Runs do not overlap. If the work resolves to an
// answer with `Retry-After`, the next run waits for it.
export function every(ms: number, work: () => unknown): () => void {
  let busy = false;
  let notBefore = 0;
  const tick = async () => {
    if (document.hidden || busy || Date.now() < notBefore) return;
    busy = true;
    try {
      const answer = (await work()) as Partial<Answer<unknown>> | null | undefined;
      notBefore = Date.now() + (answer?.retryAfterMs ?? 0);
    } finally {
      busy = false;
    }
  };
  const start = () => void tick();
  queueMicrotask(start);
  const timer = setInterval(start, ms);
  document.addEventListener('visibilitychange', start);
  addEventListener('online', start);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', start);
    removeEventListener('online', start);
  };
}
