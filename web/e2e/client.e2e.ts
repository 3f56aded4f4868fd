// The browser client: many tabs of one line, and the line inside another site.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { phone, Server, visit } from './harness.ts';
import { journey } from './journey.ts';
import { concert, crowd, joinAndEnter } from './stage.ts';

// Streams that are open on the server now.
async function streams(server: Server): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const of = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? NaN);
  return of('maejin_http_streams_opened_total') - of('maejin_http_streams_closed_total');
}

// Pages of one browser profile at the same address. The first one joins, the others find the place.
async function tabsOf(context: BrowserContext, first: Page, url: string, count: number): Promise<Page[]> {
  await first.goto(url);
  await first.locator('#join').click();
  await first.locator('#waiting').waitFor();
  const tabs = [first];
  while (tabs.length < count) {
    const tab = await context.newPage();
    await tab.goto(url);
    await tab.locator('#number').filter({ hasText: /\d/ }).waitFor();
    tabs.push(tab);
  }
  return tabs;
}
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

// Each test has its own server: the streams on it are counted.
const it = journey.extend<{ alone: Server }>({
  alone: async ({}, use) => {
    const server = new Server();
    await server.start();
    await use(server);
    await server.stop();
  },
});

describe.concurrent('tabs of one line', () => {
  it('eight over HTTP/1.1 share one stream, and the turn shows in each and suffices to enter', async ({ alone, open, expect }) => {
    const made = await concert(alone, { room: { capacity: 1, turnSeconds: 60 } });
    const goHome = await crowd(alone, made.id, 1, 'first');
    await alone.fan('first-0', 'POST', `/api/v1/rooms/${made.id}/enter`, {});
    const { page, complaints } = await open();
    const tabs = await tabsOf(page.context(), page, `${alone.url}/events/${made.id}`, 8);
    await expect.poll(() => streams(alone)).toBe(1);
    // From here the stream alone tells of the turn.
    await page.context().route(/entries\/me/, (route) => route.abort());
    goHome();
    await alone.fan('first-0', 'DELETE', `/api/v1/rooms/${made.id}/entries/me`);
    for (const tab of tabs) await tab.locator('#enter').waitFor();
    await tabs[4]!.locator('#enter').click();
    await tabs[4]!.waitForURL(/\/seats/);
    await tabs[4]!.locator('.sections button').first().waitFor();
    for (const tab of [tabs[0]!, tabs[7]!]) await tab.getByText('입장했습니다').waitFor();
    expect(complaints).toEqual([]);
  });

  it('a closed, a crashed and a hidden leader are replaced; hidden tabs have no stream', async ({ alone, open, expect }) => {
    const made = await concert(alone, { room: { capacity: 1 } });
    const goHome = await crowd(alone, made.id, 3, 'line');
    const { page } = await open({ ...phone, locale: 'en-GB' });
    const context = page.context();
    const asked: Page[] = [];
    context.on('request', (request) => void (/\/stream\?/.test(request.url()) && asked.push(request.frame().page())));
    let tabs = await tabsOf(context, page, `${alone.url}/events/${made.id}`, 5);
    const leader = () => asked.at(-1)!;
    const replaced = async (before: number) => {
      await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThan(before);
      expect(tabs).toContain(leader());
      await expect.poll(() => streams(alone), { timeout: 60_000 }).toBe(1);
    };
    await expect.poll(() => streams(alone)).toBe(1);

    const closed = leader();
    tabs = tabs.filter((tab) => tab !== closed);
    let before = asked.length;
    await closed.close();
    await replaced(before);

    before = asked.length;
    await setHidden(leader(), true);
    await replaced(before);

    const crashed = leader();
    tabs = tabs.filter((tab) => tab !== crashed);
    before = asked.length;
    const session = await context.newCDPSession(crashed);
    session.send('Page.crash').catch(() => undefined);
    await replaced(before);

    for (const tab of tabs) await setHidden(tab, true);
    await expect.poll(() => streams(alone)).toBe(0);
    await setHidden(tabs[0]!, false);
    await expect.poll(() => streams(alone)).toBe(1);
    goHome();
  });

  it('eight with seats share one stream, and each sees a taken seat', async ({ alone, open, expect }) => {
    const made = await concert(alone);
    const { page } = await open({ ...phone, locale: 'en-GB' });
    await joinAndEnter(page, alone.url, made.id);
    const tabs = [page];
    while (tabs.length < 8) {
      const tab = await page.context().newPage();
      await tab.goto(`${alone.url}/events/${made.id}/seats`);
      await tab.locator('.sections button').first().waitFor();
      tabs.push(tab);
    }
    await expect.poll(() => streams(alone)).toBe(1);
    for (const tab of tabs) await tab.locator('.sections button').first().click();
    const joined = await alone.fan('other', 'POST', `/api/v1/rooms/${made.id}/entries`, { userId: 'other' });
    await alone.fan('other', 'POST', `/api/v1/rooms/${made.id}/enter`, {}, joined.data.token);
    const held = await alone.fan('other', 'POST', '/api/v1/reservations', { scheduleId: made.schedules[0]!.id, seats: [4], userId: 'other' }, joined.data.token);
    expect(held.status).toBe(201);
    for (const tab of tabs) await tab.locator('rect.seat.H[data-n="4"]').waitFor();
  });
});

// A site of an organiser at another origin, with the element in its page.
async function shop(html: (url: string) => string): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(request.url === '/' ? html(`http://localhost:${(server.address() as AddressInfo).port}`) : `<h1>${request.url}</h1>`);
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe.concurrent('the line in an organiser’s own page', () => {
  journey('waits, enters at the turn and goes to the return address, with a pass', async ({ browser }) => {
    const maejin = new Server();
    let room = 0;
    const page = () =>
      `<!doctype html><html lang="en"><title>Shop</title><script type="module" src="${maejin.url}/client/maejin-line.js"></script>` +
      `<script>addEventListener('maejin-entered', (event) => sessionStorage.setItem('pass', event.detail.pass))</script>` +
      `<maejin-line room="${room}" return="/buy"></maejin-line>`;
    const site = await shop(page);
    await maejin.start('serve', ['--http-cors-origins', site.url, '--http-frame-ancestors', site.url]);
    const made = await concert(maejin, { room: { capacity: 1 } });
    room = made.id;
    const goHome = await crowd(maejin, made.id, 1, 'first');
    await maejin.fan('first-0', 'POST', `/api/v1/rooms/${made.id}/enter`, {});
    const { page: fan, complaints } = await visit(browser, { locale: 'en-GB' });
    await fan.goto(site.url);
    await fan.locator('maejin-line .eta').filter({ hasText: /wait/ }).waitFor();
    expect(await fan.locator('maejin-line .leave').isVisible()).toBe(true);
    goHome();
    await maejin.fan('first-0', 'DELETE', `/api/v1/rooms/${made.id}/entries/me`);
    await fan.waitForURL(`${site.url}/buy`);
    expect((await fan.evaluate(() => sessionStorage.getItem('pass')))?.split('.')).toHaveLength(3);
    expect(complaints).toEqual([]);
    await fan.context().close();
    await maejin.stop();
    site.close();
  });

  journey('shows the waiting page in a frame of a configured origin only', async ({ browser, expect }) => {
    const maejin = new Server();
    let made = 0;
    const site = await shop(() => `<!doctype html><title>Shop</title><iframe src="${maejin.url}/events/${made}" width="400" height="600"></iframe>`);
    await maejin.start('serve', ['--http-frame-ancestors', site.url]);
    made = (await concert(maejin)).id;
    const { page, complaints } = await visit(browser);
    await page.goto(site.url);
    await page.frameLocator('iframe').locator('#join').waitFor();
    await maejin.kill();
    await maejin.start();
    await page.goto(site.url);
    await expect.poll(() => complaints.join()).toContain('frame-ancestors');
    await page.context().close();
    await maejin.stop();
    site.close();
  });
});
