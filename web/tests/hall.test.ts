import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Hall } from '../src/seats/hall.svelte.ts';

// A server with three seats that records the page's requests.
let asked: string[];
let version: number;
let seats: string;
let sources: FakeSource[];

class FakeSource {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  heard = new Map<string, (event: { data: string }) => void>();
  constructor(readonly url: string) {
    sources.push(this);
  }
  addEventListener(name: string, hear: (event: { data: string }) => void): void {
    this.heard.set(name, hear);
  }
  send(name: string, data: unknown): void {
    this.heard.get(name)?.({ data: JSON.stringify(data) });
  }
  close(): void {
    this.closed = true;
  }
}

const names: Record<string, string> = { A: 'AVAILABLE', H: 'HELD', S: 'ASSIGNED', B: 'BLOCKED' };
const compact = () => ({ scheduleId: 1, version, sections: [{ name: 'A', firstNumber: 1, price: 1, rows: [3] }], wheelchair: [], states: seats });

beforeEach(() => {
  vi.useFakeTimers();
  [asked, sources, version, seats] = [[], [], 10, 'AAA'];
  vi.stubGlobal('EventSource', FakeSource);
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const changes = [...seats].map((letter, i) => ({ number: i + 1, status: names[letter] }));
    return new Response(JSON.stringify(path.includes('since') ? { version, changes } : compact()));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function watched(): Promise<{ hall: Hall; changed: number[][]; stop: () => void }> {
  const changed: number[][] = [];
  const hall = new Hall(1, (numbers) => changed.push(numbers));
  const stop = hall.watch();
  await vi.advanceTimersByTimeAsync(0);
  return { hall, changed, stop };
}

it('reads once, then uses the stream without polling', async () => {
  const { hall, changed, stop } = await watched();
  expect(sources[0]?.url).toBe('/api/v1/schedules/1/seats/stream?since=10');
  sources[0]?.onopen?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.length).toBe(1);
  sources[0]?.send('seats', { version: 12, changes: { H: [2], S: [3] } });
  expect(hall.states.join('')).toBe('AHS');
  expect(changed).toEqual([[2, 3]]);
  sources[0]?.send('seats', { version: 11, changes: { A: [2] } });
  expect(hall.states.join('')).toBe('AHS');
  stop();
  expect(sources[0]?.closed).toBe(true);
});

it('applies a snapshot and reports the differing seats', async () => {
  const { hall, changed, stop } = await watched();
  [version, seats] = [99, 'ASA'];
  sources[0]?.send('snapshot', compact());
  expect(hall.states.join('')).toBe('ASA');
  expect(changed).toEqual([[2]]);
  stop();
});

it('polls every second while the stream is broken, then reopens it', async () => {
  const { hall, stop } = await watched();
  sources[0]?.onopen?.();
  sources[0]?.onerror?.();
  [version, seats] = [11, 'HAA'];
  await vi.advanceTimersByTimeAsync(1000);
  expect(hall.states.join('')).toBe('HAA');
  expect(sources.length).toBe(1);
  await vi.advanceTimersByTimeAsync(6000);
  expect(sources[1]?.url).toContain('since=11');
  sources[1]?.onopen?.();
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked.length).toBe(before);
  stop();
});

it('polls slowly beside an open stream, in case a proxy blocks it', async () => {
  const { hall, stop } = await watched();
  sources[0]?.onopen?.();
  [version, seats] = [11, 'SAA'];
  await vi.advanceTimersByTimeAsync(16_000);
  expect(hall.states.join('')).toBe('SAA');
  stop();
});

it('polls every second without EventSource', async () => {
  vi.unstubAllGlobals();
  vi.stubGlobal('EventSource', undefined);
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return new Response(JSON.stringify(compact()));
  });
  delete (globalThis as { EventSource?: unknown }).EventSource;
  const { stop } = await watched();
  await vi.advanceTimersByTimeAsync(3000);
  expect(asked.length).toBe(4);
  stop();
});
