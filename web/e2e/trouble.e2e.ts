// Failures during a sale, and what the pages show.
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { phone, Server } from './harness.ts';
import { journey } from './journey.ts';
import { buy, concert, crowd, joinAndEnter, signIn } from './stage.ts';

// The fan leaves through the API: for the page the place is gone.
async function loseThePlace(page: Page, server: Server, event: number): Promise<void> {
  const [user, token] = await page.evaluate((id) => [localStorage.getItem('maejin:fan'), localStorage.getItem(`maejin:token:${id}`)], event);
  const { status } = await server.fan(user ?? '', 'DELETE', `/api/v1/rooms/${event}/entries/me`, undefined, token ?? '');
  expect(status).toBe(204);
}

describe.concurrent('failures', () => {
  journey('open page recovers after a server restart', async ({ open }) => {
    const server = new Server();
    await server.start();
    const made = await concert(server, { opensInMs: 3_600_000 });
    const { page, complaints } = await open();
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#before').waitFor();
    await server.kill('SIGKILL');
    await page.locator('#trouble').filter({ hasText: '연결이 끊겼습니다' }).waitFor();
    expect(await page.getByText('공연을 찾을 수 없습니다').isVisible()).toBe(false);
    await server.start();
    await page.locator('#trouble').waitFor({ state: 'hidden' });
    await server.api('POST', `/api/v1/concerts/${made.id}/open`);
    await page.locator('#join').click();
    await page.locator('#enter').waitFor();
    expect(complaints).toEqual([]);
    await server.stop();
  });

  journey('page honours Retry-After of an overloaded server and keeps the place', async ({ server, open, expect }) => {
    const made = await concert(server, { room: { capacity: 1 } });
    const goHome = await crowd(server, made.id, 2, 'full');
    const { page } = await open();
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#join').click();
    await page.locator('#number').filter({ hasText: /^3$/ }).waitFor();
    const asked: number[] = [];
    await page.route(/entries\/me/, (route) => {
      asked.push(Date.now());
      return asked.length > 1 ? route.continue() : route.fulfill({ status: 503, headers: { 'Retry-After': '6' }, json: { code: 'overloaded' } });
    });
    await page.getByText('다시 연결하는 중').waitFor();
    await page.locator('#connection').filter({ hasNotText: '다시 연결' }).waitFor();
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(6000);
    expect(await page.locator('#number').textContent()).toBe('3');
    goHome();
  });

  journey('fan with an ended place sees it and can join again', async ({ server, open }) => {
    const made = await concert(server, { room: { capacity: 1 } });
    const goHome = await crowd(server, made.id, 1, 'gone');
    const { page } = await open({ ...phone, locale: 'en-GB' });
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#join').click();
    await page.locator('#waiting').waitFor();
    await loseThePlace(page, server, made.id);
    await page.getByText('You missed your turn').waitFor();
    await page.locator('#again').click();
    await page.locator('#number').filter({ hasText: /^3$/ }).waitFor();
    goHome();
  });

  journey('fan with an ended session is sent back to the line', async ({ server, open }) => {
    const made = await concert(server);
    const { page } = await open({ locale: 'en-GB' });
    await joinAndEnter(page, server.url, made.id);
    await loseThePlace(page, server, made.id);
    await page.getByRole('heading', { name: 'Your time to choose seats is over' }).waitFor();
    await page.getByRole('link', { name: 'Go to the line' }).click();
    await page.getByRole('heading', { name: 'Your time to choose seats is over' }).waitFor();
    await page.locator('#again').click();
    await page.locator('#enter').waitFor();
  });

  journey('sold-out date names the dates with free seats', async ({ server, open }) => {
    const made = await concert(server, { dates: ['2036-12-24', '2036-12-25', '2036-12-26'], sections: [{ name: 'R', rows: 1, seatsPerRow: 2, price: 99000 }] });
    const [first, second, third] = made.schedules.map((each) => each.id) as [number, number, number];
    expect(await buy(server, made.id, first, [1, 2], 'first')).toBe(200);
    expect(await buy(server, made.id, second, [1], 'second')).toBe(200);
    expect(await buy(server, made.id, second, [2], 'hesitant', false)).toBe(201);
    const { page } = await open({ locale: 'en-GB' });
    await joinAndEnter(page, server.url, made.id);
    const dates = page.getByRole('group', { name: 'Date' });
    await dates.getByRole('button', { name: /25 Dec/ }).filter({ hasText: 'None left' }).click();
    const full = page.getByRole('status').filter({ hasText: /No seats are left on Thu, 25 Dec 2036/ });
    await full.getByText('1 seat isn’t paid for yet').waitFor();
    expect(await full.getByRole('button').allTextContents()).toEqual([expect.stringMatching(/26 Dec · 2 left/)]);
    await full.getByRole('button').click();
    await page.locator('.sections button').first().click();
    await page.locator('rect.seat.A').first().waitFor();
    expect(await buy(server, made.id, third, [1, 2], 'quick')).toBe(200);
    await page.getByText('No seats are left on Fri, 26 Dec 2036').waitFor();
  });

  journey('payment with a lost answer is retried and made once', async ({ server, open }) => {
    const made = await concert(server);
    const { page } = await open();
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.locator('[role=timer]').waitFor();
    const keys: (string | undefined)[] = [];
    await page.route(/\/payment$/, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.locator('.card > .primary').click();
    await page.getByRole('alert').getByText('연결이 끊겼습니다').waitFor();
    await page.getByText('예매 완료').waitFor();
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  journey('operator with a refused key or an ended session is asked for a key', async ({ server, open }) => {
    const { page, complaints } = await open({ locale: 'en-GB' });
    await page.goto(`${server.url}/console`);
    await page.getByLabel('Operator’s key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('That key isn’t right.').waitFor();
    await signIn(page, server, '');
    await page.context().clearCookies();
    await page.goto(`${server.url}/console#/system`);
    await page.getByText('Your session has ended.').waitFor();
    expect(complaints).toEqual([]);
  });

  journey('console shows an outage and continues afterwards', async ({ open }) => {
    const server = new Server();
    await server.start();
    const made = await concert(server);
    const { page, complaints } = await open({ locale: 'en-GB' });
    await signIn(page, server, '');
    await page.getByRole('link', { name: 'Watch live' }).waitFor();
    await server.kill('SIGKILL');
    await page.getByText('Connection lost').waitFor();
    await page.getByRole('link', { name: 'Watch live' }).click();
    await page.getByText('Connection lost').waitFor();
    await server.start();
    await page.getByText('Connection lost').waitFor({ state: 'hidden' });
    await page.locator('.lines').waitFor();
    expect(page.url()).toContain(`events/${made.id}`);
    expect(complaints).toEqual([]);
    await server.stop();
  });
});
