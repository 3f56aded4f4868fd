// Keeps the page of own bookings readable without a connection. The page fills the cache (offline.ts); its data lies in the
// browser's storage. Only the page and its files are answered here: calls of the API never are.
const name = 'maejin-me';

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== location.origin) return;
  if (pathname === '/me') event.respondWith(fetch(event.request).catch(() => kept('/me')));
  // The name of an asset carries the hash of its content.
  else if (pathname.startsWith('/assets/') || pathname === '/favicon.svg') event.respondWith(kept(pathname).then((found) => (found.ok ? found : fetch(event.request))));
});

async function kept(path) {
  const cache = await caches.open(name);
  return (await cache.match(path)) ?? Response.error();
}
