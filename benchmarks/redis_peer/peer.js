// The simplest design that meets the requirements, written as a good Node team would: Fastify, ioredis with automatic pipelining, commands that do not
// depend on each other sent together, one Lua script to enter. It does what the requirements ask and no more: no signed tokens, no
// database, no clean-up of what expires. A pass, which no seed asks for, is signed where it is measured beside maejin's.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import Fastify from 'fastify';
import Redis from 'ioredis';

const [redisPort, capacity] = process.argv.slice(2).map(Number);
const activeAtMost = 100;
const redis = new Redis({ port: redisPort, enableAutoPipelining: true });
redis.defineCommand('enter', {
  numberOfKeys: 3,
  lua: `if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
local rank = redis.call('ZRANK', KEYS[3], ARGV[1])
if rank == false then return 0 end
local remaining = tonumber(ARGV[2]) - tonumber(redis.call('GET', KEYS[2]) or 0)
if rank < remaining then
  redis.call('SET', KEYS[1], 1, 'EX', tonumber(ARGV[3]))
  redis.call('INCR', KEYS[2])
  redis.call('ZREM', KEYS[3], ARGV[1])
  return 1
end
return 0`,
});

const app = Fastify();
const userOf = (request) => request.headers['x-user-id'];

// The room of an event.

app.post('/rooms/:id/entries', async (request, reply) => {
  const queue = `queue:${request.params.id}`;
  const { userId } = request.body;
  const [, rank] = await Promise.all([redis.zadd(queue, 'NX', Date.now(), userId), redis.zrank(queue, userId)]);
  reply.code(201);
  return { status: 'waiting', rank, aheadCount: rank };
});

app.get('/rooms/:id/entries/me', async (request, reply) => {
  const { id } = request.params;
  const user = userOf(request);
  const [entered, rank, inside] = await Promise.all([
    redis.expire(`token:${id}:${user}`, 300), redis.zrank(`queue:${id}`, user), redis.get(`token:count:${id}`)]);
  if (entered === 1) return { status: 'entered', rank: 0, aheadCount: 0 };
  if (rank === null) return reply.code(404).send({ code: 'not-queued' });
  const status = rank < capacity - Number(inside ?? 0) ? 'ready' : 'waiting';
  return { status, rank, aheadCount: rank };
});

const enter = (id, user) => redis.enter(`token:${id}:${user}`, `token:count:${id}`, `queue:${id}`, user, capacity, 300);
const refused = (reply) => reply.code(409).send({ code: 'not-your-turn' });

app.post('/rooms/:id/enter', async (request, reply) => {
  const done = await enter(request.params.id, userOf(request));
  return done === 1 ? { status: 'entered' } : refused(reply);
});

// maejin's pass: what does not change is prepared once.
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const passKey = { key: privateKey, dsaEncoding: 'ieee-p1363' };
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const passHead = encode({ alg: 'ES256', typ: 'JWT', kid: 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE' });
let entered = 0;
const passOf = (room, user) => {
  const iat = Math.floor(Date.now() / 1000);
  const claims = encode({ iss: 'maejin', aud: `room:${room}`, sub: user, iat, exp: iat + 1800, jti: randomUUID(), room, epoch: 1,
    number: ++entered });
  const text = `${passHead}.${claims}`;
  return `${text}.${sign('sha256', Buffer.from(text), passKey).toString('base64url')}`;
};

app.post('/rooms/:id/enter-with-pass', async (request, reply) => {
  const { id } = request.params;
  const user = userOf(request);
  const done = await enter(id, user);
  return done === 1 ? { status: 'entered', pass: passOf(id, user) } : refused(reply);
});

// The queue of the whole site.

const positionOf = async (token) => {
  const [active, rank] = await Promise.all([redis.sismember('queue:active', token), redis.zrank('queue:waiting', token)]);
  if (active === 1) return 0;
  return rank === null ? undefined : rank + 1;
};

app.post('/queue/token', async (request) => {
  const { userId } = request.body;
  const known = await redis.get(`queue:user:${userId}`);
  if (known !== null) {
    const position = await positionOf(known);
    if (position !== undefined) return { token: known, position, expiresIn: 600 };
  }
  const token = randomUUID();
  if (await redis.scard('queue:active') < activeAtMost) {
    await Promise.all([redis.sadd('queue:active', token), redis.set(`queue:token:${token}`, userId, 'EX', 600),
      redis.set(`queue:user:${userId}`, token)]);
    return { token, position: 0, expiresIn: 600 };
  }
  const [, , , rank] = await Promise.all([
    redis.zadd('queue:waiting', Date.now(), token), redis.set(`queue:token:${token}`, userId),
    redis.set(`queue:user:${userId}`, token), redis.zrank('queue:waiting', token)]);
  return { token, position: rank + 1, expiresIn: 600 };
});

app.get('/queue/status', async (request, reply) => {
  const token = request.headers['x-queue-token'];
  const [alive, position] = await Promise.all([redis.exists(`queue:token:${token}`), positionOf(token)]);
  if (alive !== 1 || position === undefined) return reply.code(404).send({ code: 'not-queued' });
  return { status: position === 0 ? 'active' : 'waiting', position };
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(address);
