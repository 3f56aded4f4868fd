// maejin in front of an Express app, or any server of node:http. Passes are verified here: the room needs
// verify: "offline". Save as maejin.mjs; app.use(maejin()) before everything that waits behind the gate.
import { createPublicKey, verify } from 'node:crypto';

const defaults = {
  maejin: '{maejin}', // as this server reaches it; http.trusted-proxies of maejin names this server
  wait: '{wait}', // the beginning of the waiting page's address, as browsers see it; '': this site's own host
  room: '{room}',
  protect: '{protect}', // only below this path
  exempt: {exempt}, // but not below these
  exemptMethods: ['OPTIONS'],
  onGateError: '{on_error}', // 'admit' or 'hold', while the keys of maejin were never read
  trustProxy: false, // true: X-Forwarded-Proto and X-Forwarded-Host of a proxy in front count
};

const below = (path, prefix) => path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : prefix + '/');
const part = (text) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));

export function maejin(given = {}) {
  const set = { ...defaults, ...given };
  let keys = new Map();
  let revoked = new Set();
  let etag = '';
  let keysAt = 0;
  let revokedAt = 0;
  const ask = (path, options = {}) =>
    fetch(set.maejin + path, { redirect: 'manual', signal: AbortSignal.timeout(2000), ...options });
  // Both keep the last answer while maejin does not answer.
  async function readKeys() {
    keysAt = Date.now();
    const { keys: all } = await (await ask('/.well-known/jwks.json')).json();
    keys = new Map(all.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]));
  }
  async function readRevoked() {
    revokedAt = Date.now();
    const answer = await ask(`/api/v1/rooms/${set.room}/revocations`, { headers: { 'If-None-Match': etag } });
    if (answer.status !== 200) return;
    revoked = new Set((await answer.json()).revoked);
    etag = answer.headers.get('ETag') ?? '';
  }
  async function holderOf(text) {
    const [head, claims, signature, more] = text.split('.');
    if (!signature || more !== undefined) return null;
    const { alg, kid } = part(head);
    if (alg !== 'ES256') return null;
    const unknown = !keys.has(kid) && Date.now() - keysAt > 1000;
    if (unknown || Date.now() - keysAt > 300_000) await readKeys().catch(() => {});
    const key = keys.get(kid);
    const bytes = Buffer.from(signature, 'base64url');
    const ok = key && verify('sha256', Buffer.from(`${head}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, bytes);
    if (!ok) return null;
    if (Date.now() - revokedAt > 2000) await readRevoked().catch(() => {});
    const pass = part(claims);
    const good = pass.aud === `room:${set.room}` && pass.exp * 1000 > Date.now() && !revoked.has(pass.jti);
    return good ? pass : null;
  }
  return async function gate(request, response, next) {
    const url = request.originalUrl ?? request.url;
    const path = url.split('?')[0];
    const exempt = !below(path, set.protect) || set.exempt.some((prefix) => below(path, prefix));
    if (exempt || set.exemptMethods.includes(request.method)) return next();
    const header = (name) => String(request.headers[name] ?? '').split(',')[0].trim();
    const scheme = (set.trustProxy && header('x-forwarded-proto')) || (request.socket.encrypted ? 'https' : 'http');
    const host = (set.trustProxy && header('x-forwarded-host')) || header('host');
    const send = (status, headers, body = '') => response.writeHead(status, { 'Cache-Control': 'no-store', ...headers }).end(body);
    const query = new URLSearchParams(url.slice(path.length + 1));
    if (query.get('maejin_return')) {
      const headers = { 'X-Forwarded-Proto': scheme, 'X-Forwarded-Host': host, 'X-Forwarded-Uri': url };
      const answer = await ask(`/gate/return?room=${set.room}`, { headers }).catch(() => null);
      const cookie = answer?.status === 303 ? answer.headers.getSetCookie() : [];
      const to = answer?.status === 303 ? answer.headers.get('Location') : `${scheme}://${host}${set.protect}`;
      return send(303, { Location: to, 'Referrer-Policy': 'no-referrer', ...(cookie.length > 0 && { 'Set-Cookie': cookie }) });
    }
    const name = scheme === 'https' ? `__Host-maejin-${set.room}` : `maejin-${set.room}`;
    const found = header('cookie') && String(request.headers.cookie).split(/; */).find((each) => each.startsWith(name + '='));
    const text = found ? found.slice(name.length + 1) : header('x-maejin-pass');
    const holder = text ? await holderOf(text).catch(() => null) : null;
    if (holder) return next();
    if (keys.size === 0) await readKeys().catch(() => {});
    if (keys.size === 0 && set.onGateError === 'admit') return next();
    if (keys.size === 0) return send(503, { 'Retry-After': '5' }, 'Please try again in a moment.\n');
    const origin = `${scheme}://${host}`;
    const wait = `${set.wait || origin}/wait/${set.room}?return=${encodeURIComponent(origin + url)}`;
    const accept = header('accept') && String(request.headers.accept);
    const mode = header('sec-fetch-mode');
    const script = header('x-requested-with') === 'XMLHttpRequest' || (mode && mode !== 'navigate') || (/json/.test(accept) && !/text\/html/.test(accept));
    if (!script) return send(303, { Location: wait });
    const problem = { status: 401, code: 'wait-required', title: 'Turn required', waitUrl: wait };
    return send(401, { 'Content-Type': 'application/problem+json' }, JSON.stringify(problem));
  };
}
