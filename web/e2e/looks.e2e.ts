// What others see of a concert: posters, prices, and pages for addresses that do not exist.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { en } from '../src/text/en.ts';
import { ko } from '../src/text/ko.ts';
import { desktop, phone } from './harness.ts';
import { journey } from './journey.ts';
import { buy, concert, joinAndEnter, png, signIn, tooWide } from './stage.ts';

const drawn = (art: Locator) => art.locator('img').evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth));

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
    expect(await drawn(fan.page.locator('#art'))).toBeGreaterThanOrEqual(320);
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

  journey('operator gives a concert a colour, its pages and tickets have it, and the server’s returns without it', async ({ server, open }) => {
    const made = await concert(server, { title: 'Golden Night' });
    const desk = await open({ locale: 'en-GB' });
    await signIn(desk.page, server, `events/${made.id}/manage`);
    await desk.page.getByRole('switch', { name: 'The server’s colour' }).uncheck();
    await desk.page.getByLabel('Colour of its pages').fill('#ffcc00');
    await desk.page.getByRole('button', { name: 'Save' }).click();
    await desk.page.getByText('Saved').first().waitFor();
    expect((await server.api<{ color: string }>('GET', `/api/v1/concerts/${made.id}`)).color).toBe('#ffcc00');

    const fan = await open({ ...phone, locale: 'en-GB', colorScheme: 'light' });
    const fill = (of: Page, selector: string) => of.locator(selector).first().evaluate((each) => [getComputedStyle(each).backgroundColor, getComputedStyle(each).color]);
    // The page of a concert is read again once a second.
    await vi.waitFor(async () => {
      await fan.page.goto(`${server.url}/events/${made.id}`);
      expect(await fan.page.locator('link[href="/assets/look-ffcc00.css"]').count()).toBe(1);
    }, { timeout: 30_000 });
    await fan.page.locator('#join').waitFor();
    expect(await fill(fan.page, '#join')).toEqual(['rgb(255, 204, 0)', 'rgb(0, 0, 0)']);
    await joinAndEnter(fan.page, server.url, made.id);
    await fan.page.locator('.best .primary').click();
    // The seats page has such a button too, until the payment replaces it.
    await fan.page.locator('[role=timer]').waitFor();
    expect(await fill(fan.page, '.card > .primary')).toEqual(['rgb(255, 204, 0)', 'rgb(0, 0, 0)']);
    await fan.page.locator('.card > .primary').click();
    await fan.page.locator('.done').waitFor();
    await fan.page.goto(`${server.url}/me`);
    expect(await fan.page.locator('link[href*="look-"]').count()).toBe(0);
    await fan.page.locator('li a').first().click();
    await fan.page.locator('link[href="/assets/look-ffcc00.css"]').waitFor({ state: 'attached' });
    await fan.page.goto(`${server.url}/events/${made.id}?plain=1`);
    expect(await fan.page.locator('link[href="/assets/look-ffcc00.css"]').count()).toBe(1);

    await desk.page.getByRole('switch', { name: 'The server’s colour' }).check();
    await desk.page.getByRole('button', { name: 'Save' }).click();
    await vi.waitFor(async () => expect((await server.api<{ color: string | null }>('GET', `/api/v1/concerts/${made.id}`)).color).toBe(null), { timeout: 30_000 });
    await vi.waitFor(async () => {
      await fan.page.goto(`${server.url}/events/${made.id}/seats`);
      expect(await fan.page.locator('link[href*="look-"]').count()).toBe(0);
    }, { timeout: 30_000 });
    expect([...desk.complaints, ...fan.complaints]).toEqual([]);
  });

  for (const [locale, device, by] of [['ko-KR', phone, '주최 한강 라이브'], ['en-GB', desktop, 'Presented by 한강 라이브']] as const)
    journey(`operator names the organiser and uploads its logo, both are on the concert’s pages and ticket, ${locale}`, async ({ server, open }) => {
      const made = await concert(server, { title: `Moon Night ${locale}` });
      const w = (locale === 'ko-KR' ? ko : en).console;
      const desk = await open({ ...device, locale });
      await signIn(desk.page, server, `events/${made.id}/manage`);
      await desk.page.getByLabel(w.organizer, { exact: true }).fill('한강 라이브');
      await desk.page.getByRole('form', { name: w.announced }).getByRole('button', { name: w.save }).click();
      await desk.page.getByRole('status').filter({ hasText: w.saved }).waitFor();
      const brand = (of: Page) => of.locator('.brand');
      const fan = await open({ ...device, locale });
      const logo = brand(fan.page).getByRole('img', { name: '한강 라이브' });
      const reread = async (check: () => Promise<void>) => vi.waitFor(async () => {
        await fan.page.goto(`${server.url}/events/${made.id}`);
        await check();
      }, { timeout: 30_000 });
      await reread(async () => expect(await brand(fan.page).textContent()).toContain('한강 라이브'));
      await fan.page.getByText(by).waitFor();

      await desk.page.locator('#logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await png(desk.page, 1000, 400) });
      await desk.page.getByText(w.logoReplace).waitFor();
      expect((await server.api<{ logo: unknown }>('GET', `/api/v1/concerts/${made.id}`)).logo).toMatchObject({ width: 320, height: 128 });
      await reread(async () => expect(await logo.count()).toBe(1));
      expect(await logo.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth))).toBe(320);
      expect(await tooWide(fan.page)).toEqual([]);
      await joinAndEnter(fan.page, server.url, made.id);
      await logo.waitFor();
      await fan.page.locator('.best .primary').click();
      await fan.page.locator('.card > .primary').click();
      await fan.page.locator('.done').waitFor();
      await fan.page.goto(`${server.url}/me`);
      expect(await logo.count(), 'the list has bookings of other organisers').toBe(0);
      await fan.page.locator('li a').first().click();
      await fan.page.locator('.ticket header').getByText(by).waitFor();
      await fan.page.locator('.ticket header').getByRole('img', { name: '한강 라이브' }).waitFor();

      await desk.page.getByRole('button', { name: w.logoRemove }).click();
      await desk.page.getByRole('button', { name: w.logoRemove }).last().click();
      await desk.page.getByText(w.logoPut).waitFor();
      await reread(async () => expect(await logo.count()).toBe(0));
      expect([...desk.complaints, ...fan.complaints]).toEqual([]);
    });

  journey('poster of a concert is on its ranking row', async ({ server, open }) => {
    const made = await concert(server, { title: 'Sold Poster', sections: [{ name: 'A', rows: 1, seatsPerRow: 1 }] });
    const { page: desk } = await open({ locale: 'en-GB' });
    await signIn(desk, server, `events/${made.id}/manage`);
    await desk.locator('#poster').setInputFiles({ name: 'poster.png', mimeType: 'image/png', buffer: await png(desk, 1000, 625) });
    await desk.getByText('Replace the poster').waitFor();
    expect(await buy(server, made.id, made.schedules[0]!.id, [1], 'collector')).toBe(200);
    // A browser of its own: one that has a wider copy already shows that.
    const { page, complaints } = await open({ locale: 'en-GB', deviceScaleFactor: 1 });
    await page.goto(`${server.url}/rankings`);
    const row = page.locator('.board li', { hasText: 'Sold Poster' });
    expect(await drawn(row.locator('.art'))).toBeGreaterThan(0);
    const { source, loading } = await row.locator('img').evaluate((img: HTMLImageElement) => ({ source: img.currentSrc, loading: img.loading }));
    expect([source.split('&').at(-1), loading]).toEqual(['width=320', 'lazy']);
    expect(complaints).toEqual([]);
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
