// Payments that the provider answers late: the page waits and shows the result.
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Provider, Server } from './harness.ts';
import { journey } from './journey.ts';
import { concert, joinAndEnter, payFor, take, type Held, type Made } from './stage.ts';

interface Shop {
  server: Server;
  provider: Provider;
}
// A server that answers PAYING after a second.
const it = journey.extend<{ shop: Shop }>({
  shop: async ({}, use) => {
    const [server, provider] = [new Server(), new Provider()];
    await provider.start();
    await server.start('serve', ['--payment-provider', 'sandbox', '--payment-sandbox-url', provider.url, '--payment-deadline-seconds', '1']);
    await use({ server, provider });
    await server.stop();
    await provider.stop();
  },
});

async function hold(page: Page, { server }: Shop, made: Made): Promise<void> {
  await joinAndEnter(page, server.url, made.id);
  await page.locator('.sections button').first().click();
  await page.locator('rect.seat[data-n="3"]').click();
  await page.locator('.cart .primary').click();
  await page.locator('[role=timer]').waitFor();
}
// Presses "pay"; the answer must be PAYING.
async function pay(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/payment'));
  await page.locator('.card > .primary').click();
  expect((await answered).status()).toBe(202);
}

describe.concurrent('a payment that the provider answers late', () => {
  it('is booked after a wait that includes a reload', async ({ shop, open }) => {
    const made = await concert(shop.server);
    await shop.provider.misbehave({ lostPercent: 100 });
    const { page, complaints } = await open();
    await hold(page, shop, made);
    await pay(page);
    await page.getByText('결제 처리 중').waitFor();
    await page.reload();
    await page.getByText('결제 처리 중').waitFor();
    expect(await page.getByRole('button', { name: '좌석 선택 취소' }).isVisible()).toBe(false);
    await shop.provider.misbehave({});
    await page.getByText('예매 완료').waitFor();
    expect(complaints).toEqual([]);
  });

  it('that was declined keeps the seats and can be paid again', async ({ shop, open, expect }) => {
    const made = await concert(shop.server);
    await shop.provider.misbehave({ down: true });
    const { page } = await open({ locale: 'en-GB' });
    await hold(page, shop, made);
    await pay(page);
    await shop.provider.misbehave({ declinedPercent: 100 });
    await page.getByRole('alert').getByText('The payment was declined').waitFor();
    expect(await page.locator('[role=timer]').isVisible()).toBe(true);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Pay /);
    await shop.provider.misbehave({});
    await page.locator('.card > .primary').click();
    await page.locator('.done').waitFor();
  });

  it('whose seats were sold meanwhile is refunded, and the page says so', async ({ shop, open, expect }) => {
    const made = await concert(shop.server, { holdSeconds: 20 });
    await shop.provider.misbehave({ lostPercent: 100 });
    const { page } = await open();
    await hold(page, shop, made);
    await pay(page);
    let held: Held;
    const taken = async () => {
      const { status, data } = await take(shop.server, made.id, made.schedules[0]!.id, [3], 'quicker');
      held = data;
      return status;
    };
    await expect.poll(taken, { timeout: 60_000, interval: 250 }).toBe(201);
    expect(await page.getByText('결제 처리 중').isVisible()).toBe(true);
    await shop.provider.misbehave({});
    expect([200, 202]).toContain(await payFor(shop.server, 'quicker', held!)); // otherwise the seat would be free before the payment settles
    await page.getByText('자동으로 환불됩니다').waitFor();
    await page.getByRole('button', { name: '좌석 다시 선택' }).click();
    await page.locator('.sections button').first().waitFor();
  });
});
