// maejin in a worker at the edge (the fetch handler of Cloudflare Workers and its relatives; Web APIs only).
// Passes are verified here: the room needs verify: "offline". maejin must be reachable from the worker, and
// its http.trusted-proxies must name the addresses from which the worker calls.
const set = {
  maejin: '{maejin}', // as the worker reaches it
  wait: '{public_url}', // maejin's address as browsers see it; '': this site's own host
  shop: '{worker_shop}', // the shop; '': the address that was asked for
  room: '{room}',
  protect: '{protect}', // only below this path
  exempt: [{exempt_list}], // but not below these
  exemptMethods: [{method_list}],
  networks: [{network_list}], // their visitors do not wait; by the header CF-Connecting-IP of the edge
  crawlers: [{crawler_list}], // parts of the User-Agent; a visitor can forge it
  onGateError: '{on_error}', // 'admit' or 'hold', while the keys of maejin were never read
  pages: /^\/(wait\/|events\/|assets\/|favicon\.svg$|api\/v1\/(rooms\/|concerts\/|time$))/,
};

const ask = (path, options = {}) =>
  fetch(set.maejin + path, { redirect: 'manual', signal: AbortSignal.timeout(2000), ...options });
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (each) => each.charCodeAt(0));
const part = (text) => JSON.parse(new TextDecoder().decode(bytesOf(text)));

// A path that gateways and shops may read in different ways is always behind the gate.
const odd = /\/\/|\/\.\.?(\/|$)|%2e|%2f|%5c|\\|;|%3b|#|%23/i;
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
function below(path, prefix) {
  const plain = prefix.replace(/\/+$/, '');
  return path === plain || path.startsWith(plain + '/');
}

// The bits of an address, as text.
function bitsOf(address) {
  const binary = (number, width) => number.toString(2).padStart(width, '0');
  if (!address.includes(':')) return address.split('.').map((each) => binary(Number(each), 8)).join('');
  const [left, right = ''] = address.split('::').map((each) => each.split(':').filter(Boolean));
  const gap = address.includes('::') ? Array(8 - left.length - right.length).fill('0') : [];
  return [...left, ...gap, ...right].map((each) => binary(parseInt(each, 16), 16)).join('');
}
function isWithin(address, network) {
  const [base, bits] = network.split('/');
  if (address === '' || address.includes(':') !== base.includes(':')) return false;
  const [mine, theirs] = [bitsOf(address), bitsOf(base)];
  const length = bits === undefined ? theirs.length : Number(bits);
  return mine.slice(0, length) === theirs.slice(0, length);
}

// The keys and the list of revoked passes; both stay while maejin does not answer.
let keys = new Map();
let revoked = new Set();
let etag = '';
let keysAt = 0;
let revokedAt = 0;
const way = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function readKeys() {
  keysAt = Date.now();
  const answer = await ask('/.well-known/jwks.json');
  const read = (await answer.json()).keys.filter(({ kty }) => kty === 'EC');
  const imported = read.map(async ({ kid, kty, crv, x, y }) => {
    return [kid, await crypto.subtle.importKey('jwk', { kty, crv, x, y }, way, false, ['verify'])];
  });
  keys = new Map(await Promise.all(imported));
}
async function readRevoked() {
  revokedAt = Date.now();
  const answer = await ask(`/api/v1/rooms/${set.room}/revocations`, { headers: { 'If-None-Match': etag } });
  if (answer.status !== 200) return;
  revoked = new Set((await answer.json()).revoked);
  etag = answer.headers.get('ETag') ?? '';
}
async function admits(text) {
  const [head, claims, signature, more] = text.split('.');
  if (!signature || more !== undefined) return false;
  const { alg, kid } = part(head);
  if (alg !== 'ES256') return false;
  const age = Date.now() - keysAt;
  if ((!keys.has(kid) && age > 1000) || age > 300_000) await readKeys().catch(() => {});
  const key = keys.get(kid);
  const signed = new TextEncoder().encode(`${head}.${claims}`);
  if (!key || !(await crypto.subtle.verify(way, key, bytesOf(signature), signed))) return false;
  if (Date.now() - revokedAt > 2000) await readRevoked().catch(() => {});
  const pass = part(claims);
  return pass.aud === `room:${set.room}` && pass.exp * 1000 > Date.now() && !revoked.has(pass.jti);
}

function isFree(request, path) {
  const address = request.headers.get('CF-Connecting-IP') ?? '';
  if (set.exemptMethods.includes(request.method)) return true;
  if (set.networks.some((network) => isWithin(address, network))) return true;
  const agent = (request.headers.get('User-Agent') ?? '').toLowerCase();
  if (set.crawlers.some((each) => agent.includes(each.toLowerCase()))) return true;
  if (odd.test(path)) return false;
  const read = decoded(path);
  // The routes of some shops ignore the case of letters.
  const isProtected = below(read.toLowerCase(), set.protect.toLowerCase());
  return !isProtected || set.exempt.some((prefix) => below(read, prefix));
}

// A script cannot follow a redirect to a page.
function isScript(headers) {
  const [mode, accept] = [headers.get('Sec-Fetch-Mode'), headers.get('Accept') ?? ''];
  if (headers.get('X-Requested-With') === 'XMLHttpRequest' || (mode && mode !== 'navigate')) return true;
  return /json/.test(accept) && !/text\/html/.test(accept);
}

function passTo(base, request) {
  const url = new URL(request.url);
  const target = base ? base + url.pathname + url.search : request.url;
  const options = { method: request.method, headers: request.headers, redirect: 'manual' };
  if (request.body) Object.assign(options, { body: request.body, duplex: 'half' });
  return fetch(target, options);
}

const send = (status, headers, body = '') =>
  new Response(body, { status, headers: { 'Cache-Control': 'no-store', ...headers } });
const hold = () => send(503, { 'Retry-After': '5' }, 'Please try again in a moment.\n');

async function exchange(url) {
  const [scheme, uri] = [url.protocol.slice(0, -1), url.pathname + url.search];
  const headers = { 'X-Forwarded-Proto': scheme, 'X-Forwarded-Host': url.host, 'X-Forwarded-Uri': uri };
  const answer = await ask(`/gate/return?room=${set.room}`, { headers }).catch(() => null);
  if (!answer || answer.status >= 500) return hold();
  // A code that was used or has expired: the visitor's cookie decides.
  const to = answer.status === 303 ? answer.headers.get('Location') : url.origin + set.protect;
  const back = send(303, { Location: to, 'Referrer-Policy': 'no-referrer' });
  if (answer.status === 303) back.headers.append('Set-Cookie', answer.headers.get('Set-Cookie'));
  return back;
}

// The shop ends a session with the answer header Maejin-Session: end.
async function passAndEnd(request, pass, context) {
  const answer = await passTo(set.shop, request);
  if (answer.headers.get('Maejin-Session') === 'end') {
    const options = { method: 'DELETE', headers: { 'X-Maejin-Pass': pass } };
    context.waitUntil(ask(`/api/v1/rooms/${set.room}/entries/me`, options).catch(() => {}));
  }
  return answer;
}

export default {
  async fetch(request, _environment, context) {
    const url = new URL(request.url);
    if (!set.wait && set.pages.test(url.pathname)) return passTo(set.maejin, request);
    if (isFree(request, url.pathname)) return passTo(set.shop, request);
    if (url.searchParams.get('maejin_return')) return exchange(url);
    const name = `${url.protocol === 'https:' ? '__Host-' : ''}maejin-${set.room}=`;
    const cookies = (request.headers.get('Cookie') ?? '').split(/; */);
    const found = cookies.find((each) => each.startsWith(name));
    const pass = found ? found.slice(name.length) : request.headers.get('X-Maejin-Pass');
    if (pass && (await admits(pass).catch(() => false))) return passAndEnd(request, pass, context);
    if (keys.size === 0) await readKeys().catch(() => {});
    if (keys.size === 0) return set.onGateError === 'admit' ? passTo(set.shop, request) : hold();
    const target = encodeURIComponent(url.origin + url.pathname + url.search);
    const wait = `${set.wait || url.origin}/wait/${set.room}?return=${target}`;
    if (!isScript(request.headers)) return send(303, { Location: wait });
    const problem = { status: 401, code: 'wait-required', title: 'Turn required', waitUrl: wait };
    return send(401, { 'Content-Type': 'application/problem+json' }, JSON.stringify(problem));
  },
};
