// maejin in front of an Express app, or any server of node:http. Passes are verified here: the room needs
// verify: "offline". Save as maejin.mjs; app.use(maejin()) before everything that waits behind the gate.
import { createPublicKey, verify } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';

const defaults = {
  maejin: '{maejin}', // as this server reaches it; http.trusted-proxies of maejin names this server
  wait: '{public_url}', // maejin's address as browsers see it; '': this site's own host
  room: '{room}',
  protect: '{protect}', // only below this path
  exempt: [{exempt_list}], // but not below these
  exemptMethods: [{method_list}],
  networks: [{network_list}], // their visitors do not wait
  crawlers: [{crawler_list}], // parts of the User-Agent; a visitor can forge it
  onGateError: '{on_error}', // 'admit' or 'hold', while the keys of maejin were never read
  trustProxy: false, // true: X-Forwarded-Proto, -Host and -For of a proxy in front count
};

const part = (text) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));

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

function listOf(networks) {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/');
    const kind = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits) list.addSubnet(address, Number(bits), kind);
    else list.addAddress(address, kind);
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

// A script cannot follow a redirect to a page.
function isScript(header) {
  const [mode, accept] = [header('sec-fetch-mode'), header('accept')];
  if (header('x-requested-with') === 'XMLHttpRequest' || (mode && mode !== 'navigate')) return true;
  return /json/.test(accept) && !/text\/html/.test(accept);
}

// The keys and the list of revoked passes; both stay while maejin does not answer.
class Verifier {
  keys = new Map();
  #revoked = new Set();
  #etag = '';
  #keysAt = 0;
  #revokedAt = 0;
  #reading = null;
  constructor(set, ask) {
    this.set = set;
    this.ask = ask;
  }
  async #read() {
    const { keys } = await (await this.ask('/.well-known/jwks.json')).json();
    this.keys = new Map(keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]));
  }
  // Requests that come meanwhile wait for the same answer.
  async readKeys() {
    this.#keysAt = Date.now();
    this.#reading ??= this.#read().catch(() => {}).finally(() => (this.#reading = null));
    await this.#reading;
  }
  async #readRevoked() {
    this.#revokedAt = Date.now();
    const headers = { 'If-None-Match': this.#etag };
    const answer = await this.ask(`/api/v1/rooms/${this.set.room}/revocations`, { headers });
    if (answer.status !== 200) return;
    this.#revoked = new Set((await answer.json()).revoked);
    this.#etag = answer.headers.get('ETag') ?? '';
  }
  async admits(text) {
    const [head, claims, signature, more] = text.split('.');
    if (!signature || more !== undefined) return false;
    const { alg, kid } = part(head);
    if (alg !== 'ES256') return false;
    const age = Date.now() - this.#keysAt;
    if ((!this.keys.has(kid) && age > 1000) || age > 300_000) await this.readKeys();
    const key = this.keys.get(kid);
    const bytes = Buffer.from(signature, 'base64url');
    const how = { key, dsaEncoding: 'ieee-p1363' };
    if (!key || !verify('sha256', Buffer.from(`${head}.${claims}`), how, bytes)) return false;
    if (Date.now() - this.#revokedAt > 2000) await this.#readRevoked().catch(() => {});
    const pass = part(claims);
    const current = pass.aud === `room:${this.set.room}` && pass.exp * 1000 > Date.now();
    return current && !this.#revoked.has(pass.jti);
  }
}

export function maejin(given = {}) {
  const set = { ...defaults, ...given };
  const ask = (path, options = {}) =>
    fetch(set.maejin + path, { redirect: 'manual', signal: AbortSignal.timeout(2000), ...options });
  const verifier = new Verifier(set, ask);
  const isAllowed = listOf(set.networks);

  function isFree(request, path, header, address) {
    if (set.exemptMethods.includes(request.method) || isAllowed(address)) return true;
    const agent = header('user-agent').toLowerCase();
    if (set.crawlers.some((each) => agent.includes(each.toLowerCase()))) return true;
    if (odd.test(path)) return false;
    const read = decoded(path);
    // The routes of some shops ignore the case of letters.
    const isProtected = below(read.toLowerCase(), set.protect.toLowerCase());
    return !isProtected || set.exempt.some((prefix) => below(read, prefix));
  }
  // The shop ends a session with the answer header Maejin-Session: end.
  function endLater(response, pass) {
    response.on('finish', () => {
      if (response.getHeader('Maejin-Session') !== 'end') return;
      const headers = { 'X-Maejin-Pass': pass };
      ask(`/api/v1/rooms/${set.room}/entries/me`, { method: 'DELETE', headers }).catch(() => {});
    });
  }

  return async function gate(request, response, next) {
    const url = request.originalUrl ?? request.url;
    const path = url.split('?')[0];
    const header = (name) => String(request.headers[name] ?? '');
    const forwarded = (name) => (set.trustProxy ? header(name).split(',')[0].trim() : '');
    const address = forwarded('x-forwarded-for') || request.socket.remoteAddress || '';
    if (isFree(request, path, header, address.replace(/^::ffff:/, ''))) return next();
    const scheme = forwarded('x-forwarded-proto') || (request.socket.encrypted ? 'https' : 'http');
    const host = forwarded('x-forwarded-host') || header('host');
    const send = (status, headers, body = '') =>
      response.writeHead(status, { 'Cache-Control': 'no-store', ...headers }).end(body);
    const hold = () => send(503, { 'Retry-After': '5' }, 'Please try again in a moment.\n');
    const query = new URLSearchParams(url.slice(path.length + 1));
    if (query.get('maejin_return')) {
      const headers = { 'X-Forwarded-Proto': scheme, 'X-Forwarded-Host': host, 'X-Forwarded-Uri': url };
      const answer = await ask(`/gate/return?room=${set.room}`, { headers }).catch(() => null);
      if (!answer || answer.status >= 500) return hold();
      const cookie = answer.status === 303 ? answer.headers.getSetCookie() : [];
      // A code that was used or has expired: the visitor's cookie decides.
      const to = answer.status === 303 ? answer.headers.get('Location') : `${scheme}://${host}${set.protect}`;
      const given = cookie.length > 0 ? { 'Set-Cookie': cookie } : {};
      return send(303, { Location: to, 'Referrer-Policy': 'no-referrer', ...given });
    }
    const name = `${scheme === 'https' ? '__Host-' : ''}maejin-${set.room}=`;
    const found = header('cookie').split(/; */).find((each) => each.startsWith(name));
    const pass = found ? found.slice(name.length) : header('x-maejin-pass');
    if (pass && (await verifier.admits(pass).catch(() => false))) {
      endLater(response, pass);
      return next();
    }
    if (verifier.keys.size === 0) await verifier.readKeys();
    if (verifier.keys.size === 0) return set.onGateError === 'admit' ? next() : hold();
    const origin = `${scheme}://${host}`;
    const wait = `${set.wait || origin}/wait/${set.room}?return=${encodeURIComponent(origin + url)}`;
    if (!isScript(header)) return send(303, { Location: wait });
    const problem = { status: 401, code: 'wait-required', title: 'Turn required', waitUrl: wait };
    return send(401, { 'Content-Type': 'application/problem+json' }, JSON.stringify(problem));
  };
}
