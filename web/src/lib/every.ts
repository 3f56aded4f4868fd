import type { Answer } from './api.ts';

// Does something now and every `ms` while the page is seen; returns what stops it. "Now" is a moment later, so that an
// effect that calls this does not depend on what the work reads. Work that is still under way is not begun again, and where
// it resolves to an answer that asks for patience, patience is had.
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
