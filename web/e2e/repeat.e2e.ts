// What a page must not do twice, and what it must read again: calls to enter, double clicks, holds in two tabs, opened pages.
import { createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { phone, Server } from './harness.ts';
import { journey } from './journey.ts';
import { concert, joinAndEnter, signIn } from './stage.ts';

// Counts the calls of a page to a path.
function counted(page: Page, method: string, path: RegExp): { calls: number } {
  const counter = { calls: 0 };
  page.on('request', (request) => void (request.method() === method && path.test(request.url()) && counter.calls++));
  return counter;
}
// A user token of the shop.
function tokenFor(sub: string, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub, exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
const problem = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code, status, detail: `refused: ${code}` }),
});
// The page reads again at once.
const wake = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')));
// Slow enough for a second click before the answer.
const slowly = (page: Page, path: RegExp) =>
  page.route(path, async (route) => {
    if (route.request().method() === 'POST') await new Promise((done) => setTimeout(done, 400));
    await route.continue();
  });

// An organiser's page with the element, at /shop.
const shop = (page: Page, attributes: string) =>
  page.route(/\/shop$/, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><html lang="en"><script type="module" src="/client/maejin-line.js"></script><maejin-line ${attributes}></maejin-line>` }),
  );

describe.concurrent('a page', () => {
  describe('a turn whose call to enter fails', () => {
    journey('is tried again after a pause when the server is overloaded', async ({ server, open, expect }) => {
      const made = await concert(server);
      const { page, complaints } = await open({ locale: 'en-GB' });
      await shop(page, `room="${made.id}" return="/rankings"`);
      const asked: number[] = []; // noted before the answer: a delay only lengthens the pause
      await page.route(/\/enter$/, (route) => {
        asked.push(Date.now());
        return asked.length > 1 ? route.continue() : route.fulfill(problem(503, 'overloaded', { 'Retry-After': '1' }));
      });
      const told = page.getByText('refused: overloaded').waitFor();
      await page.goto(`${server.url}/shop`);
      await told;
      await page.waitForURL(/\/rankings/);
      expect(asked).toHaveLength(2);
      expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(2900);
      expect(complaints).toEqual([]);
    });

    journey('is left to the visitor when the server refuses', async ({ server, open, expect }) => {
      const made = await concert(server);
      const { page } = await open({ locale: 'en-GB' });
      const enter = counted(page, 'POST', /\/enter$/);
      await shop(page, `room="${made.id}" return="https://not-allowed.example/" gate`);
      await page.goto(`${server.url}/shop`);
      await page.locator('maejin-line .enter').waitFor();
      await page.waitForTimeout(2500);
      expect(enter.calls).toBe(1);
      await page.locator('maejin-line .enter').click();
      await expect.poll(() => enter.calls).toBe(2);
    });

    // Where users are signed, the waiting page joins and enters itself.
    journey('does not loop on the waiting page in front of a site', async ({ open, expect }) => {
      const key = join(mkdtempSync(join(tmpdir(), 'maejin-key-')), 'key');
      const secret = 'a secret of the shop, longer than 32 bytes';
      writeFileSync(key, secret);
      const own = new Server();
      await own.start('serve', ['--auth-users', 'signed', '--auth-key-file', key]);
      await own.api('POST', '/api/v1/rooms', { id: 'members', capacity: 1, visitors: 'users', returnUrls: ['https://shop.example'] });
      const { page } = await open({ locale: 'en-GB' });
      const enter = counted(page, 'POST', /\/enter$/);
      await page.route(/\/enter$/, (route) => route.fulfill(problem(409, 'not-now')));
      await page.goto(`${own.url}/wait/members?return=https%3A%2F%2Fshop.example%2F#user=${tokenFor('fan', secret)}`);
      await page.getByText('refused: not-now').waitFor();
      await page.waitForTimeout(2500);
      expect(enter.calls).toBe(1);
      await page.getByRole('button', { name: 'Load again' }).click();
      await expect.poll(() => enter.calls).toBe(2);
      await own.stop();
    });
  });

  describe('the line in front of a site', () => {
    journey('tells that it is paused and closed, and keeps the way back in another language', async ({ server, open, expect }) => {
      await server.api('POST', '/api/v1/rooms', { id: 'halt', title: 'Sale', capacity: 0, returnUrls: ['https://shop.example'] });
      const { page, complaints } = await open(phone);
      await page.goto(`${server.url}/wait/halt?return=https%3A%2F%2Fshop.example%2Fbuy%3Fa%3D1`);
      await page.locator('#ahead').filter({ hasText: '0' }).waitFor();
      expect(await page.locator('#ahead').evaluate((each) => parseFloat(getComputedStyle(each).fontSize))).toBeGreaterThan(40);
      // Like the line of a concert: the place is in the title, and screen readers are told.
      await expect.poll(() => page.title()).toMatch(/^\(0\) 대기 중 · Sale/);
      await page.locator('#status').filter({ hasText: '내 앞에 0명' }).waitFor({ state: 'attached' });
      await server.api('PATCH', '/api/v1/rooms/halt', { state: 'paused', notice: '곧 다시 시작합니다' });
      await page.locator('#notice').filter({ hasText: '곧 다시 시작합니다' }).waitFor();
      await page.getByText('입장이 일시 중단되었습니다').waitFor();
      await page.locator('.langs summary').click();
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByText('Entry is paused').waitFor();
      expect(new URL(page.url()).searchParams.get('return')).toBe('https://shop.example/buy?a=1');
      await server.api('PATCH', '/api/v1/rooms/halt', { state: 'closed' });
      await page.getByText('Sales have ended').waitFor();
      expect(await page.locator('#ahead').isVisible()).toBe(false);
      expect(complaints).toEqual([]);
    });
  });

  journey('the line in an organiser’s page tells that it is paused, closed and cancelled', async ({ server, open, expect }) => {
    const made = await concert(server, { room: { capacity: 0 } });
    const { page, complaints } = await open({ locale: 'en-GB' });
    await shop(page, `room="${made.id}" return="/rankings"`);
    await page.goto(`${server.url}/shop`);
    await page.locator('maejin-line .ahead').filter({ hasText: '0' }).waitFor();
    await server.api('PATCH', `/api/v1/rooms/${made.id}`, { state: 'paused' });
    await page.getByText('Entry is paused').waitFor();
    await server.api('POST', `/api/v1/concerts/${made.id}/close`);
    await page.getByText('Sales have ended').waitFor();
    expect(await page.locator('maejin-line .ahead, maejin-line .eta').filter({ visible: true }).count()).toBe(0);
    await server.api('POST', `/api/v1/concerts/${made.id}/cancel`);
    await page.getByText('This concert was cancelled').waitFor();
    expect(complaints).toEqual([]);
  });

  describe('a double click', () => {
    journey('in the console adds one date, one key and one webhook', async ({ server, open, expect }) => {
      const made = await concert(server, { title: 'Once' });
      const { page, complaints } = await open({ locale: 'en-GB' });
      await slowly(page, /\/(schedules\/import|keys|webhooks)$/);
      await signIn(page, server, `events/${made.id}/manage`);
      const dates = page.getByRole('region', { name: 'Dates' });
      await dates.getByRole('button', { name: 'Add dates' }).click();
      await dates.getByLabel('Date', { exact: true }).fill('2037-05-02');
      await dates.getByRole('button', { name: 'Add dates' }).dblclick();
      await expect.poll(async () => (await server.api('GET', `/api/v1/concerts/${made.id}`)).schedules.length).toBe(2);
      await dates.getByRole('button', { name: 'Add dates' }).waitFor();
      expect((await server.api('GET', `/api/v1/concerts/${made.id}`)).schedules).toHaveLength(2);

      await page.goto(`${server.url}/console#/keys`);
      await page.getByLabel('Name').fill('twice');
      await page.getByRole('button', { name: 'Create' }).dblclick();
      await page.locator('.made').waitFor();
      expect((await server.api('GET', '/api/v1/admin/keys')).keys.filter((key: { name: string }) => key.name === 'twice')).toHaveLength(1);

      await page.goto(`${server.url}/console#/webhooks`);
      await page.getByLabel('Address').fill('https://once.example/hook');
      await page.getByRole('button', { name: 'Create' }).dblclick();
      const own = async () => (await server.api('GET', '/api/v1/admin/webhooks')).webhooks.filter((hook: { url: string }) => hook.url === 'https://once.example/hook').length;
      await page.getByRole('link', { name: 'https://once.example/hook' }).waitFor();
      expect(await own()).toBe(1);
      expect(complaints).toEqual([]);
    });

    journey('on "show more" adds each booking once, and a later read keeps the opened pages', async ({ server, open, expect }) => {
      const { page, complaints } = await open({ locale: 'en-GB' });
      const booking = (n: number) => ({
        reservationId: `r${n}`, code: `AAAA-${String(n).padStart(4, '0')}`, status: 'CONFIRMED', concertId: 1, scheduleId: 1, userId: 'fan', seats: [n], amount: 1000,
        heldAt: '2026-11-01T00:00:00Z', expiresAt: '2026-11-01T00:05:00Z', paidAt: '2026-11-01T00:01:00Z', endedAt: null, endReason: null, title: `Show ${n}`, venue: 'Hall', concertDate: '2099-01-01', labels: ['R 1-1'],
      });
      const list = (from: number) => Array.from({ length: 50 }, (_, i) => booking(from + i));
      let reads = 0;
      await page.route(/\/api\/v1\/reservations/, async (route) => {
        const url = route.request().url();
        if (url.includes('/tickets')) return route.fulfill({ status: 503, body: '' });
        const after = new URL(url).searchParams.get('after');
        if (after) await new Promise((done) => setTimeout(done, 400));
        else reads++;
        await route.fulfill({ json: after ? { items: list(51), next: null } : { items: list(1), next: 'p2' } });
      });
      await page.goto(`${server.url}/me`);
      await page.getByRole('button', { name: 'Show more' }).dblclick();
      await expect.poll(() => page.locator('li a.card').count()).toBe(100);
      const before = reads;
      await wake(page);
      await expect.poll(() => reads).toBeGreaterThan(before);
      await page.waitForTimeout(300);
      expect(await page.locator('li a.card').count()).toBe(100);
      expect(complaints).toEqual([]);
    });
  });

  describe('the seats page', () => {
    journey('opens on a date that is sold, and tells that another was cancelled', async ({ server, open, expect }) => {
      const made = await concert(server, { title: 'Two nights', dates: ['2036-12-24', '2036-12-25'] });
      await server.api('POST', `/api/v1/schedules/${made.schedules[0]!.id}/cancel`);
      const { page, complaints } = await open({ locale: 'en-GB' });
      await joinAndEnter(page, server.url, made.id);
      const [first, second] = [page.locator('.dates button').nth(0), page.locator('.dates button').nth(1)];
      expect(await second.getAttribute('aria-pressed')).toBe('true');
      await first.click();
      await page.getByText('The show on Wed, 24 Dec 2036 was cancelled').waitFor();
      expect(await page.locator('.best').count()).toBe(0);
      await second.click();
      await page.locator('.best').waitFor();
      expect(complaints).toEqual([]);
    });

    journey('of a second tab follows a hold that the first one pays, and one whose concert is cancelled', async ({ server, open }) => {
      const made = await concert(server, { title: 'Both tabs', room: { releaseOnPayment: false } });
      const { page } = await open({ locale: 'en-GB' });
      await joinAndEnter(page, server.url, made.id);
      await page.locator('.best .primary').click();
      await page.locator('[role=timer]').waitFor();
      const other = await page.context().newPage();
      await other.goto(`${server.url}/events/${made.id}/seats`);
      await other.locator('[role=timer]').waitFor();
      await page.locator('.card > .primary').click();
      await page.locator('.done').waitFor();
      await wake(other);
      await other.locator('.done').waitFor();
      await page.getByRole('button', { name: 'Book more' }).click();
      await page.locator('.best .primary').click();
      await page.locator('[role=timer]').waitFor();
      await server.api('POST', `/api/v1/concerts/${made.id}/cancel`);
      await wake(page);
      await page.getByRole('heading', { name: 'This concert was cancelled' }).waitFor();
    });
  });
});
