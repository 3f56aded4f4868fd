// Formatted durations, and a clock synchronised with the server's.
import { t } from './text.ts';

const two = (n: number): string => String(n).padStart(2, '0');

// "03:07", "1:03:07", "2d 01:03:07" or "2일 01:03:07"; never negative.
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  const clock = `${two(minutes)}:${two(seconds % 60)}`;
  if (days > 0) return `${days}${t('dayUnit')} ${two(hours)}:${clock}`;
  return hours > 0 ? `${hours}:${clock}` : clock;
}

export interface Sample {
  sent: number;
  received: number;
  server: number;
}
// Uses the sample with the shortest round trip, and assumes that the server answered in its middle.
export function offsetOf(samples: Sample[]): number {
  const best = samples.reduce((a, b) => (b.received - b.sent < a.received - a.sent ? b : a));
  return best.server - (best.sent + best.received) / 2;
}

let offset = 0;
export const now = (): number => Date.now() + offset;

export async function followServerClock(): Promise<void> {
  const samples: Sample[] = [];
  for (let i = 0; i < 3; i++) {
    const sent = Date.now();
    try {
      const answer = await fetch('/api/v1/time', { cache: 'no-store' });
      const { now: server } = (await answer.json()) as { now: string };
      samples.push({ sent, received: Date.now(), server: Date.parse(server) });
    } catch {
      // No answer: use another sample, or the device's clock.
    }
  }
  if (samples.length > 0) offset = offsetOf(samples);
}
