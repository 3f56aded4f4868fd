// The seeds' design, written as a good Node team would: Fastify, ioredis with automatic pipelining, one Lua script to enter.
import Fastify from 'fastify';
import Redis from 'ioredis';

const [redisPort, capacity] = [Number(process.argv[2]), 800];
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

app.post('/rooms/:id/entries', async (request, reply) => {
  const { id } = request.params;
  await redis.zadd(`queue:${id}`, 'NX', Date.now(), userOf(request));
  const rank = await redis.zrank(`queue:${id}`, userOf(request));
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

app.post('/rooms/:id/enter', async (request, reply) => {
  const { id } = request.params;
  const user = userOf(request);
  const done = await redis.enter(`token:${id}:${user}`, `token:count:${id}`, `queue:${id}`, user, capacity, 300);
  if (done !== 1) return reply.code(409).send({ code: 'not-your-turn' });
  return { status: 'entered' };
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(address);
