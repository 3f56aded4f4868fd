// Does something now and every `ms` while the page is seen; returns what stops it.
export function every(ms: number, work: () => unknown): () => void {
  const tick = () => {
    if (!document.hidden) work();
  };
  tick();
  const timer = setInterval(tick, ms);
  document.addEventListener('visibilitychange', tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}
