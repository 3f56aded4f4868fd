// Wall times as inputs show them ("2026-12-24T19:30"), in a named zone, and the instants they mean.
import { admin } from './admin.ts';

const device = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function wallOf(instant: string | number, zone: string): string {
  const options = { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const parts = Object.fromEntries(new Intl.DateTimeFormat('en', options).formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
  return `${parts['year']}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}`;
}

// A wall time that a change of the clock skips means the instant after the gap; one that occurs twice means the first.
export function instantOf(wall: string, zone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  const offset = (at: number) => Date.parse(`${wallOf(at, zone)}Z`) - at;
  const day = 86_400_000;
  const candidates = [asUtc - offset(asUtc - day), asUtc - offset(asUtc + day)].sort((a, b) => a - b);
  const exact = candidates.find((at) => wallOf(at, zone) === wall.slice(0, 16));
  return new Date(exact ?? (candidates[1] as number)).toISOString();
}

// "KST", "GMT+2": the zone's short name at an instant.
export function zoneLabel(zone: string, at: string | number = Date.now()): string {
  const name = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'short' }).formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? zone;
  return `${zone} (${zone === 'Asia/Seoul' ? 'KST' : name})`;
}

let known: Promise<string[]> | null = null;
// The zones to choose from: the server's first, then the device's, then UTC.
export function zones(): Promise<string[]> {
  known ??= admin<{ configuration: Record<string, { value: string }> }>('/api/v1/admin/system').then((answer) => {
    const server = answer?.data?.configuration['timezone']?.value ?? device();
    if (!answer?.data) known = null;
    return [...new Set([server, device(), 'UTC'])];
  });
  return known;
}
