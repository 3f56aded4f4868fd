// Parses Prometheus text.
export type Sample = { labels: Record<string, string>; value: number };
export type Metrics = Map<string, Sample[]>;

export function parseMetrics(text: string): Metrics {
  const metrics: Metrics = new Map();
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match || line.startsWith('#')) continue;
    const labels: Record<string, string> = {};
    for (const [, name, value] of (match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[name as string] = value as string;
    const list = metrics.get(match[1] as string) ?? [];
    list.push({ labels, value: match[3] === '+Inf' ? Infinity : Number(match[3]) });
    metrics.set(match[1] as string, list);
  }
  return metrics;
}

export function sum(metrics: Metrics, name: string, where: Record<string, string> = {}): number {
  return (metrics.get(name) ?? [])
    .filter(({ labels }) => Object.entries(where).every(([key, value]) => labels[key] === value))
    .reduce((total, { value }) => total + value, 0);
}

// When the line will be empty at this rate, while fans still arrive; null for never.
export function minutesToFinish(waiting: number, perMinute: number | null, arriving = 0): number | null {
  if (waiting === 0) return 0;
  return perMinute === null || perMinute <= arriving ? null : waiting / (perMinute - arriving);
}
