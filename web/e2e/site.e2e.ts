// A shop behind a real gateway and maejin's line, on two host names: shop, line, shop. nginx always; Caddy, HAProxy and Apache in --all.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createShop } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { binary, Server } from './harness.ts';
import { journey, type Open } from './journey.ts';

const gateways = resolve(import.meta.dirname, '../../tests/support/gateways.py');

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createSocket().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });

interface Site {
  maejin: Server;
  // Runs the gateway of a kind in front of the shop, and returns its address.
  front: (kind: string, ...flags: string[]) => Promise<string>;
}

const it = journey.extend<{ site: Site }>({
  site: async ({}, use) => {
    const shop = createShop((request, response) => response.setHeader('Content-Type', 'text/html').end(`<h1>welcome</h1><p id="asked">${request.url}</p>`));
    await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
    const line = await freePort();
    const maejin = new Server();
    maejin.url = `http://127.0.0.1:${line}`;
    await maejin.start('serve', ['--http-trusted-proxies', '127.0.0.1', '--public-url', `http://wait.localhost:${line}`]);
    const folder = mkdtempSync(join(tmpdir(), 'maejin-gateway-'));
    const stops: (() => Promise<unknown>)[] = [];
    const front = async (kind: string, ...flags: string[]) => {
      const port = await freePort();
      const back = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
      const rules = ['--on-gate-error', 'hold', '--room', 'shop', '--maejin', maejin.url, '--shop', back, ...flags];
      const child = spawn('/usr/bin/python3', ['-B', gateways, kind, join(folder, kind), String(port), ...rules], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, MAEJIN_BINARY: binary } });
      stops.push(async () => {
        const gone = new Promise((done) => child.once('exit', done));
        child.stdin.end();
        await gone;
      });
      await new Promise<void>((ready, fail) => {
        child.stdout.once('data', () => ready());
        child.once('exit', (code) => fail(new Error(`the gateway ended with ${code}`)));
      });
      return `http://shop.localhost:${port}`;
    };
    await use({ maejin, front });
    await Promise.all(stops.map((stop) => stop()));
    await maejin.stop();
    shop.close();
    rmSync(folder, { recursive: true, force: true });
  },
});

async function walk(maejin: Server, shop: string, open: Open): Promise<void> {
  await maejin.api('POST', '/api/v1/rooms', { id: 'shop', title: 'Spring sale', capacity: 0, returnUrls: [`${shop}/`] });
  const { page, complaints } = await open();
  await page.goto(`${shop}/buy?seat=1`);
  await page.getByRole('heading', { name: 'Spring sale' }).waitFor();
  expect(new URL(page.url()).hostname).toBe('wait.localhost');
  await page.locator('#number').filter({ hasText: '1' }).waitFor();
  await maejin.api('PATCH', '/api/v1/rooms/shop', { capacity: 1 });
  await page.getByRole('heading', { name: 'welcome' }).waitFor();
  expect(page.url()).toBe(`${shop}/buy?seat=1`);
  const cookie = (await page.context().cookies(shop)).find(({ name }) => name === 'maejin-shop');
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
  await page.goto(`${shop}/pay`);
  expect(await page.locator('#asked').textContent()).toBe('/pay');
  expect((await maejin.api('GET', '/api/v1/rooms/shop')).entered).toBe(1);
  expect(complaints).toEqual([]);
}

for (const kind of process.env['MAEJIN_ALL'] ? ['nginx', 'caddy', 'haproxy', 'apache'] : ['nginx'])
  it(`a visitor walks from the shop to the line and back through ${kind}, without a click`, async ({ site: { maejin, front }, open }) => {
    await walk(maejin, await front(kind), open);
  });
