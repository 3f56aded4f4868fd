// The way of a fan in Japanese and in traditional Chinese.
import { describe, expect } from 'vitest';
import { ja } from '../src/text/ja.ts';
import { zhHant } from '../src/text/zh-Hant.ts';
import { phone } from './harness.ts';
import { journey } from './journey.ts';
import { concert } from './stage.ts';

describe.concurrent('a fan', () => {
  for (const [locale, tag, t, missing] of [['ja-JP', 'ja', ja, '公演が見つかりません。'], ['zh-TW', 'zh-Hant', zhHant, '找不到這個節目。']] as const) {
    journey(`goes from the list of concerts to the ticket in ${tag}`, async ({ server, open }) => {
      const made = await concert(server, { title: `Walk ${tag}` });
      const { page, complaints } = await open({ ...phone, locale });
      await page.goto(server.url);
      expect(await page.locator('html').getAttribute('lang')).toBe(tag);
      await page.locator(`a[href="/events/${made.id}"]`).click();
      await page.locator('#join', { hasText: t.event.join }).waitFor();
      const box = await page.locator('#join').boundingBox();
      expect((box?.y ?? 999) + (box?.height ?? 999)).toBeLessThanOrEqual(phone.viewport.height);
      await page.locator('#join').click();
      await page.getByText(t.event.turnHint).waitFor();
      await page.locator('#enter').click();
      await page.waitForURL(/\/seats/);
      await page.locator('.best .primary', { hasText: t.seats.bestHold }).click();
      await page.getByText(t.seats.heldFor).first().waitFor();
      await page.locator('.card > .primary').click();
      await page.getByText(t.seats.booked).first().waitFor();
      await page.goto(`${server.url}/me`);
      await page.locator('li a').first().click();
      await page.locator('.qr img').first().waitFor();
      await page.getByText(t.me.code).first().waitFor();
      await page.goto(`${server.url}/rankings`);
      await page.getByRole('heading', { name: t.rankings.title }).waitFor();
      expect(complaints).toEqual([]);
      // A refusal, too, is in the language of the page.
      await page.goto(`${server.url}/events/999999999`);
      await page.getByText(missing).waitFor();
    });
  }

  journey('sees the header on one line of a phone in four languages', async ({ server, open }) => {
    const { page } = await open(phone);
    const middles = (bar: Element) => [...bar.children].map((each) => Math.round(each.getBoundingClientRect().top + each.getBoundingClientRect().height / 2));
    for (const path of ['/', '/rankings', '/me'].flatMap((each) => ['ko', 'en', 'ja', 'zh-Hant'].map((tag) => `${each}?lang=${tag}`))) {
      await page.goto(server.url + path, { waitUntil: 'domcontentloaded' });
      expect([path, new Set(await page.locator('.top .wrap').evaluate(middles)).size]).toEqual([path, 1]);
    }
  });

  journey('chooses one of four languages, which is kept', async ({ server, open }) => {
    const { page } = await open({ ...phone, locale: 'en-GB' });
    await page.goto(`${server.url}/rankings`);
    const menu = page.locator('header details');
    await menu.locator('summary', { hasText: 'EN' }).click();
    expect(await menu.locator('a').allTextContents()).toEqual(['한국어', '日本語', '繁體中文']);
    await menu.getByText('繁體中文').click();
    await page.getByRole('heading', { name: zhHant.rankings.title }).waitFor();
    await page.goto(`${server.url}/me`);
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hant');
    // The console is in English or Korean.
    await page.goto(`${server.url}/console`);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });
});
