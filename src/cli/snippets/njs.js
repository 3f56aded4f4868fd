// maejin in nginx, for njs 0.7.9 and later: verifies passes without asking maejin. njs.conf is its
// configuration (maejin snippet njs).
const set = {
  wait: '{public_url}', // maejin's address as browsers see it; '': this site's own host
  room: '{room}',
  protect: '{protect}', // only below this path
  exempt: [{exempt_list}], // but not below these
  exemptMethods: [{method_list}],
  crawlers: [{crawler_list}], // parts of the User-Agent; a visitor can forge it
  onGateError: '{on_error}', // 'admit' or 'hold', while the keys of maejin were never read
};

function below(path, prefix) {
  const plain = prefix.replace(/\/+$/, '');
  return path === plain || path.startsWith(plain + '/');
}

// njs clones its state for every request, so the keys are in nginx's cache.
async function read(r, path) {
  const answer = await r.subrequest(path, { method: 'GET' });
  if (answer.status !== 200) return null;
  return JSON.parse(answer.responseText);
}

function bytesOf(text) {
  return Buffer.from(text, 'base64url');
}

// The DER form of a P-256 key; this njs reads no JWK.
const spki = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200' + '04', 'hex');
function keyOf(jwk) {
  const der = Buffer.concat([spki, bytesOf(jwk.x), bytesOf(jwk.y)]);
  const way = { name: 'ECDSA', namedCurve: 'P-256' };
  return crypto.subtle.importKey('spki', der, way, false, ['verify']);
}

function jwkIn(keys, kid) {
  return keys ? keys.keys.find((each) => each.kid === kid && each.kty === 'EC') : undefined;
}

async function admits(r, text, keys) {
  const parts = text.split('.');
  if (parts.length !== 3) return false;
  const head = JSON.parse(bytesOf(parts[0]).toString());
  if (head.alg !== 'ES256') return false;
  let jwk = jwkIn(keys, head.kid);
  if (!jwk) {
    const newest = await read(r, '/_maejin/new-keys');
    jwk = jwkIn(newest, head.kid);
  }
  const signature = bytesOf(parts[2]);
  if (!jwk || signature.length !== 64) return false;
  const way = { name: 'ECDSA', hash: 'SHA-256' };
  const key = await keyOf(jwk);
  const signed = Buffer.from(parts[0] + '.' + parts[1]);
  const valid = await crypto.subtle.verify(way, key, signature, signed);
  if (!valid) return false;
  const pass = JSON.parse(bytesOf(parts[1]).toString());
  if (pass.aud !== 'room:' + set.room || pass.exp * 1000 <= Date.now()) return false;
  const list = await read(r, '/_maejin/revoked');
  return !list || !list.revoked.includes(pass.jti);
}

function passIn(r) {
  const name = (r.variables.scheme === 'https' ? '__Host-maejin-' : 'maejin-') + set.room + '=';
  const cookies = String(r.headersIn.Cookie || '').split(/; */);
  const found = cookies.find((each) => each.startsWith(name));
  return found ? found.slice(name.length) : String(r.headersIn['X-Maejin-Pass'] || '');
}

// A script cannot follow a redirect to a page.
function isScript(r) {
  const mode = r.headersIn['Sec-Fetch-Mode'];
  const accept = String(r.headersIn.Accept || '');
  if (r.headersIn['X-Requested-With'] === 'XMLHttpRequest' || (mode && mode !== 'navigate')) return true;
  return /json/.test(accept) && !/text\/html/.test(accept);
}

function sendToLine(r) {
  const origin = r.variables.scheme + '://' + r.headersIn.Host;
  const target = encodeURIComponent(origin + r.variables.request_uri);
  const wait = (set.wait || origin) + '/wait/' + set.room + '?return=' + target;
  r.headersOut['Cache-Control'] = 'no-store';
  if (!isScript(r)) return r.return(303, wait);
  r.headersOut['Content-Type'] = 'application/problem+json';
  const problem = { status: 401, code: 'wait-required', title: 'Turn required', waitUrl: wait };
  r.return(401, JSON.stringify(problem));
}

// A path that nginx and the shop may read in different ways is always behind the gate.
const odd = /\/\/|\/\.\.?(\/|$)|%2e|%2f|%5c|\\|;|%3b|#|%23/i;

function isFree(r) {
  const agent = String(r.headersIn['User-Agent'] || '').toLowerCase();
  if (set.exemptMethods.includes(r.method) || r.variables.maejin_allowed === '1') return true;
  if (set.crawlers.some((part) => agent.includes(part.toLowerCase()))) return true;
  if (odd.test(r.variables.request_uri.split('?')[0])) return false;
  // Decoded, as nginx reads it.
  const path = r.variables.uri;
  // The routes of some shops ignore the case of letters.
  const isProtected = below(path.toLowerCase(), set.protect.toLowerCase());
  return !isProtected || set.exempt.some((prefix) => below(path, prefix));
}

async function gate(r) {
  if (isFree(r)) return r.internalRedirect('@maejin_shop');
  if (r.variables.arg_maejin_return) return r.internalRedirect('/_maejin/return');
  const keys = await read(r, '/_maejin/keys').catch(() => null);
  if (!keys && set.onGateError === 'admit') return r.internalRedirect('@maejin_shop');
  if (!keys) return r.internalRedirect('@maejin_unavailable');
  const text = passIn(r);
  let admitted = false;
  if (text !== '') admitted = await admits(r, text, keys).catch(() => false);
  if (admitted) return r.internalRedirect('@maejin_shop');
  sendToLine(r);
}

export default { gate };
