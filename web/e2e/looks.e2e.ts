// What others see of a concert: posters, prices, and pages for addresses that do not exist.
import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { phone } from './harness.ts';
import { journey } from './journey.ts';
import { concert, joinAndEnter, png, signIn } from './stage.ts';

const drawn = (page: Page, art: string) => page.locator(`${art} img`).evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth));

describe.concurrent('the looks of a concert', () => {
  journey('operator uploads a poster, phones get a narrow copy, and the drawing returns without it', async ({ server, open }) => {
    const made = await concert(server, { title: 'Poster Night', sections: [{ name: 'VIP', rows: 1, seatsPerRow: 2, price: 165000 }, { name: 'S', rows: 1, seatsPerRow: 2, price: 77000 }] });
    const desk = await open({ locale: 'en-GB' });
    await signIn(desk.page, server, `events/${made.id}/manage`);
    const field = desk.page.locator('#poster');
    await field.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
    await desk.page.getByText('isn’t a picture that the browser can read').waitFor();
    await field.setInputFiles({ name: 'poster.png', mimeType: 'image/png', buffer: await png(desk.page, 1000, 625) });
    await desk.page.getByText('Replace the poster').waitFor();
    const { poster } = await server.api<{ poster: { widths: number[] } }>('GET', `/api/v1/concerts/${made.id}`);
    expect(poster.widths).toEqual([320, 640, 1000]);

    const fan = await open({ ...phone, deviceScaleFactor: 1, locale: 'en-GB' });
    await fan.page.goto(server.url);
    const card = fan.page.locator('a.card', { hasText: 'Poster Night' });
    await card.getByText('from ₩77,000').waitFor();
    await card.locator('img').waitFor();
    await fan.page.goto(`${server.url}/events/${made.id}`);
    await fan.page.locator('#join').waitFor();
    expect(await drawn(fan.page, '#art')).toBeGreaterThanOrEqual(320);
    expect(await fan.page.locator('#art img').evaluate((img: HTMLImageElement) => img.currentSrc)).toMatch(/width=(320|640)$/);
    await fan.page.getByText('from ₩77,000').waitFor();

    await desk.page.getByRole('button', { name: 'Remove the poster' }).click();
    await desk.page.getByRole('button', { name: 'Remove the poster' }).last().click();
    await desk.page.getByText('Upload a poster').waitFor();
    const fetched = () => fan.page.evaluate(() => fetch(location.href).then((page) => page.text()));
    await vi.waitFor(async () => expect(await fetched()).not.toContain('/poster?'), { timeout: 30_000 });
    await fan.page.reload();
    await fan.page.locator('#art svg').waitFor();
    // The text file was refused by the browser, before any request.
    expect([...desk.complaints, ...fan.complaints]).toEqual([]);
  });

  journey('address that does not exist shows a page with a way back, in the language of the browser', async ({ server, open }) => {
    const { page } = await open({ ...phone, locale: 'ko-KR' });
    expect((await page.goto(`${server.url}/nowhere`))?.status()).toBe(404);
    await page.getByRole('heading', { name: '페이지를 찾을 수 없습니다' }).waitFor();
    expect((await page.goto(`${server.url}/events/424242`))?.status()).toBe(404);
    await page.getByText('공연을 찾을 수 없습니다').waitFor();
    await page.getByRole('link', { name: '전체 공연' }).or(page.locator('main a.button')).first().click();
    await page.getByRole('heading', { name: '예매 중인 공연' }).waitFor();
  });

  journey('server that takes no money says so before the payment', async ({ server, open }) => {
    const made = await concert(server);
    const { page } = await open({ ...phone, locale: 'en-GB' });
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.getByText('Test payment: you will not be charged.').waitFor();
  });
});
