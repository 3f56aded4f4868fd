// Does something now and every `ms` while the page is seen; returns what stops it. "Now" is a moment later, so that an
// effect that calls this does not depend on what the work reads.
export function every(ms: number, work: () => unknown): () => void {
  const tick = () => {
    if (!document.hidden) work();
  };
  queueMicrotask(tick);
  const timer = setInterval(tick, ms);
  document.addEventListener('visibilitychange', tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}
