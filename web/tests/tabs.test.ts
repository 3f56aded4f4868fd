import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storageLease, Tabs } from '../client/tabs.ts';

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('lease in the storage', () => {
  function lease() {
    const log: boolean[] = [];
    return { log, ...storageLease('x', (yes) => log.push(yes)) };
  }
  it('is held by the first tab', async () => {
    const [a, b] = [lease(), lease()];
    await vi.advanceTimersByTimeAsync(20_000);
    expect([a.log, b.log]).toEqual([[true], []]);
    a.end();
    b.end();
  });
  it('passes to another tab when its owner ends', async () => {
    const [a, b] = [lease(), lease()];
    await settle();
    a.end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(b.log).toEqual([true]);
    b.end();
  });
  it('passes to another tab when its owner is not heard for five seconds', async () => {
    localStorage.setItem('x', `crashed ${Date.now() + 5000}`);
    const a = lease();
    await vi.advanceTimersByTimeAsync(4000);
    expect(a.log).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(a.log).toEqual([true]);
    a.end();
  });
  it('can be stolen, and its old owner notices', async () => {
    const [a, b] = [lease(), lease()];
    await settle();
    b.steal();
    await vi.advanceTimersByTimeAsync(1000);
    expect([a.log, b.log]).toEqual([[true, false], [true]]);
    a.end();
    b.end();
  });
});

// Channels of one window that deliver at once.
class FakeChannel {
  static all: FakeChannel[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  constructor(readonly name: string) {
    FakeChannel.all.push(this);
  }
  postMessage(data: unknown): void {
    for (const other of FakeChannel.all) if (other !== this && other.name === this.name) other.onmessage?.({ data: structuredClone(data) });
  }
  close(): void {
    FakeChannel.all = FakeChannel.all.filter((each) => each !== this);
  }
}

describe('tabs', () => {
  beforeEach(() => void vi.stubGlobal('BroadcastChannel', FakeChannel));
  function tab() {
    const heard: string[] = [];
    const tabs = new Tabs<string>('y', { lead: () => {}, hear: (message) => heard.push(message), report: () => tabs.send('state') });
    return { tabs, heard };
  }
  it('elect one leader, and a new tab gets its state', async () => {
    const a = tab();
    await settle();
    const b = tab();
    await settle();
    expect([a.tabs.leads, b.tabs.leads]).toEqual([true, false]);
    expect(b.heard).toEqual(['state']);
    a.tabs.end();
    b.tabs.end();
  });
  it('replace a leader that stays silent longer than it announced', async () => {
    const a = tab();
    await settle();
    const b = tab();
    await settle();
    a.tabs.send('next in a second', 1000);
    // The leader renews its lease, but sends nothing.
    await vi.advanceTimersByTimeAsync(10_500);
    expect(b.tabs.leads).toBe(false);
    await vi.advanceTimersByTimeAsync(1500);
    expect([a.tabs.leads, b.tabs.leads]).toEqual([false, true]);
    a.tabs.end();
    b.tabs.end();
  });
  it('lead each on its own without a channel', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    delete (globalThis as Record<string, unknown>)['BroadcastChannel'];
    const [a, b] = [tab(), tab()];
    expect([a.tabs.leads, b.tabs.leads]).toEqual([true, true]);
  });
});
