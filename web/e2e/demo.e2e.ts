// `maejin demo` with two windows: one of a fan, one of the operator.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, Server, visit } from './harness.ts';
import { signIn } from './stage.ts';

const demo = new Server();
let browser: Browser;
beforeAll(async () => {
  browser = await launch(); // first: the demo counts down from its start
  // Enough seats that some are left for the visitor on a slow machine.
  await demo.start('demo', ['--opens-in', '30', '--fans', '150', '--seats', '240']);
});
afterAll(async () => {
  await browser?.close();
  await demo.stop();
});

it('demo visitor waits, sees a capacity change take effect, buys, and finds the sell-out in the ranking', async () => {
  const { page: fan, complaints } = await visit(browser, { locale: 'en-GB' });
  await fan.goto(demo.url);
  await fan.getByRole('link', { name: /매진 라이브/ }).first().click();
  await fan.locator('#countdown').filter({ hasText: /\d\d:\d\d/ }).waitFor();
  await fan.locator('#join').click();
  await fan.locator('#eta').filter({ hasText: /drawn/ }).waitFor();

  const { page: operator } = await visit(browser, { locale: 'en-GB' });
  await signIn(operator, demo, '');
  await operator.getByRole('link', { name: /매진 라이브/ }).first().click();
  const capacity = operator.getByRole('spinbutton', { name: 'People inside at most' });
  await capacity.waitFor();
  await operator.locator('.lines').first().waitFor();
  await capacity.fill('40');
  await operator.getByRole('button', { name: 'Apply' }).click();
  await operator.getByText('Changed.').waitFor();

  await fan.locator('#enter').click();
  await fan.waitForURL(/\/seats/);
  await fan.getByRole('button', { name: 'Pick the best seats' }).click();
  await fan.locator('[role=timer]').waitFor();
  await fan.locator('.card > .primary').click();
  await fan.locator('.done').waitFor();

  await fan.goto(`${demo.url}/rankings`);
  await fan.getByRole('link', { name: '매진 라이브' }).waitFor({ timeout: 150_000 });
  await fan.goto(`${demo.url}/docs`);
  await fan.getByText('/api/v1/reservations').first().waitFor();
  expect(complaints).toEqual([]);
}, 300_000);
