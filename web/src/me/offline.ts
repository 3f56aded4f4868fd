// What the browser keeps for a visit without a connection: the page with its files, and the bookings as last read.
import { kept } from '../../client/storage.ts';
import type { Reservation, Tickets } from '../../client/contract.ts';

const name = 'maejin-me';

// A service worker needs TLS, except on the machine itself.
export async function keepPage(): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext) return;
  await navigator.serviceWorker.register('/sw.js', { scope: '/me' });
  const loaded = performance.getEntriesByType('resource').map((each) => new URL(each.name).pathname);
  const named = [...document.querySelectorAll<HTMLElement>('script[src], link[href]')].map((each) => each.getAttribute('src') ?? each.getAttribute('href') ?? '');
  const wanted = new Set(['/me', ...[...loaded, ...named].filter((path) => path.startsWith('/assets/') || path === '/favicon.svg')]);
  const cache = await caches.open(name);
  await cache.addAll([...wanted]);
  for (const old of await cache.keys()) if (!wanted.has(new URL(old.url).pathname)) await cache.delete(old);
}

export interface KeptBookings {
  // Of this fan only: another one on the same device must not see them.
  fan: string;
  at: number;
  items: Reservation[];
  tickets: Record<string, Tickets>;
}
const key = 'maejin:bookings';
// Old bookings give way, so that the storage stays small.
const most = 30;

export function readKept(fan: string): KeptBookings | null {
  try {
    const found = JSON.parse(kept.getItem(key) ?? 'null') as KeptBookings | null;
    return found?.fan === fan ? found : null;
  } catch {
    return null;
  }
}
export function keep(bookings: KeptBookings): void {
  const items = bookings.items.slice(0, most);
  const tickets = Object.fromEntries(items.flatMap(({ reservationId: id }) => (bookings.tickets[id] ? [[id, bookings.tickets[id]]] : [])));
  try {
    kept.setItem(key, JSON.stringify({ ...bookings, items, tickets }));
  } catch {
    // The storage is full: the page then needs a connection.
  }
}
