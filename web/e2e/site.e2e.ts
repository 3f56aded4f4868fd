// A shop behind a real nginx and maejin's line, on two host names: shop, line, shop.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createShop } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary, Server } from './harness.ts';
import { journey } from './journey.ts';

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createSocket().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });

interface Site {
  maejin: Server;
  shop: string;
}

const it = journey.extend<{ site: Site }>({
  site: async ({}, use) => {
    const shop = createShop((request, response) => response.setHeader('Content-Type', 'text/html').end(`<h1>welcome</h1><p id="asked">${request.url}</p>`));
    await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
    const [front, line] = [await freePort(), await freePort()];
    const maejin = new Server();
    maejin.url = `http://127.0.0.1:${line}`;
    await maejin.start('serve', ['--http-trusted-proxies', '127.0.0.1', '--public-url', `http://wait.localhost:${line}`]);
    const back = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const snippet = execFileSync(binary, ['snippet', 'nginx', '--room', 'shop', '--maejin', maejin.url, '--shop', back], { encoding: 'utf8' });
    const folder = mkdtempSync(join(tmpdir(), 'maejin-nginx-'));
    const temporary = ['proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}\nhttp { access_log off; client_body_temp_path ${folder}/body; ${temporary}\nserver { listen 127.0.0.1:${front};\n${snippet}\n} }`,
    );
    const nginx: ChildProcess = spawn(existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' });
    await expect.poll(() => existsSync(join(folder, 'nginx.pid')), { timeout: 60_000 }).toBe(true);
    await use({ maejin, shop: `http://shop.localhost:${front}` });
    const gone = new Promise((done) => nginx.once('exit', done));
    nginx.kill();
    await gone;
    await maejin.stop();
    shop.close();
    rmSync(folder, { recursive: true, force: true });
  },
});

it('a visitor walks from the shop to the line and back, without a click', async ({ site: { maejin, shop }, open }) => {
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
});
