// Choosing seats in a stadium: the venue, a section, and the hold button within reach.
import { describe, expect } from 'vitest';
import { phone } from './harness.ts';
import { journey } from './journey.ts';
import { arena, buy, concert, joinAndEnter } from './stage.ts';

const prices = [165_000, 143_000, 121_000, 99_000];
const stadium = Array.from({ length: 48 }, (_, i) => ({ name: String(101 + i), rows: 33, seatsPerRow: 40, price: prices[Math.floor(i / 12)]! }));

describe.concurrent('a stadium', () => {
  journey('of 63,360 seats: venue, prices, a section with the keyboard, its seats drawn within 300 ms', async ({ server, open }) => {
    const made = await concert(server, { title: '스타디움', sections: stadium });
    const { page, complaints } = await open();
    await joinAndEnter(page, server.url, made.id);
    const blocks = page.locator('.venue g[role=button]');
    expect(await blocks.count()).toBe(48);
    // Best available shows seats and price before anything is held.
    await page.locator('.preview').getByText('330,000원').waitFor();
    await page.getByRole('group', { name: '가격' }).getByRole('button', { name: '99,000원', exact: true }).click();
    expect(await page.locator('.sections li').count()).toBe(12);
    expect(await page.locator('.venue g[aria-disabled=false]').count()).toBe(12);
    await page.getByRole('button', { name: '전체 등급' }).click();
    // CPU time of the page's thread, so that other load of the machine does not count.
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
    };
    await blocks.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    const name = await page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.split(',')[0]);
    await page.mouse.move(0, 0); // the seat with the focus has the bubble, not the one under the pointer
    const before = await spent();
    await page.keyboard.press('Enter');
    await page.locator('rect.seat.A').first().waitFor();
    await page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
    const drawn = (await spent()) - before;
    console.log(`63,360 seats in 48 sections: ${drawn.toFixed(0)} ms of the page's thread from section to seats`);
    expect(drawn).toBeLessThanOrEqual(300);
    // The section replaces the venue and has the focus: no tab stop to the first seat.
    expect(await page.evaluate(() => document.activeElement?.matches('rect.seat'))).toBe(true);
    expect(await page.locator('.venue').count()).toBe(0);
    await page.getByRole('heading', { name: name!, exact: true }).waitFor();
    expect(await page.locator('.rowname').count()).toBe(33);
    await page.locator('.bubble').getByText(new RegExp(`^${name}구역 1열 \\d+번 · `)).waitFor();
    const width = async () => (await page.locator('svg[role=group]').boundingBox())!.width;
    const first = await width();
    await page.getByRole('button', { name: '확대', exact: true }).click();
    expect(await width()).toBeGreaterThan(first * 1.4);
    await page.getByRole('button', { name: '축소', exact: true }).click();
    await page.getByRole('button', { name: /전체 구역/ }).click();
    await blocks.first().waitFor();
    expect(complaints).toEqual([]);
  });

  journey('drawn by its plan: sections keep their places, have the colours of price and rest, and are walked with the keyboard', async ({ server, open }) => {
    const made = await concert(server, { title: 'Arena', sections: arena });
    expect(await buy(server, made.id, made.schedules[0]!.id, [1, 2, 3, 4], 'early')).toBe(200);
    const { page, complaints } = await open({ locale: 'en-GB' });
    await joinAndEnter(page, server.url, made.id);
    const at = async (name: string) => (await page.locator(`.venue g[aria-label^="${name},"] path`).boundingBox())!;
    const [floor, left, right, ring] = await Promise.all(['F2', 'L1', 'R1', 'U3'].map(at));
    expect(left!.x + left!.width).toBeLessThan(floor!.x);
    expect(floor!.x + floor!.width).toBeLessThan(right!.x);
    expect(ring!.y).toBeGreaterThan(floor!.y + floor!.height);
    await page.locator('.venue .stage').waitFor();
    const paint = (name: string) => page.locator(`.venue g[aria-label^="${name},"] path`).evaluate((path) => ({ colour: getComputedStyle(path).fill, strength: Number(path.getAttribute('fill-opacity')) }));
    const [sold, whole, cheap] = await Promise.all(['F1', 'F2', 'B1'].map(paint));
    expect([sold!.colour === whole!.colour, whole!.colour === cheap!.colour]).toEqual([true, false]);
    expect(sold!.strength).toBeLessThan(whole!.strength);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.split(',')[0]);
    await page.locator('.venue g[aria-label^="F1,"]').focus();
    for (const [key, name] of [['ArrowRight', 'F2'], ['ArrowDown', 'F5'], ['ArrowDown', 'B2'], ['ArrowUp', 'F5']] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'F5', exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.matches('rect.seat'))).toBe(true);
    expect(complaints).toEqual([]);
  });

  journey('on a phone: ten chosen seats leave the hold button in view, two fingers zoom, and the limit is known before', async ({ server, open, expect }) => {
    const made = await concert(server, { title: 'Ten', sections: [{ name: 'Long', rows: 2, seatsPerRow: 60, price: 50_000 }, { name: 'B', rows: 1, seatsPerRow: 5, price: 40_000 }] });
    await server.api('PATCH', `/api/v1/concerts/${made.id}`, { maxSeatsPerUser: 10 });
    const { page, complaints } = await open({ ...phone, locale: 'en-GB', hasTouch: true });
    await joinAndEnter(page, server.url, made.id);
    await page.getByText('Up to 10 seats per person').waitFor();
    await page.locator('.venue g[role=button]').first().click();
    await page.locator('rect.seat.A').first().waitFor();
    // The section is in view, and two fingers zoom it.
    const drawing = page.locator('svg[role=group]');
    await expect.poll(async () => (await page.getByRole('heading', { name: 'Long', exact: true }).boundingBox())!.y).toBeLessThan(phone.viewport.height / 2);
    // The seat with the focus is in view, though the section is wider than the screen.
    const focused = (await page.locator('rect.seat[tabindex="0"]').boundingBox())!;
    expect(focused.x).toBeGreaterThan(0);
    expect(focused.x + focused.width).toBeLessThan(phone.viewport.width);
    const [before, { x, y }] = [(await drawing.boundingBox())!.width, (await page.locator('.scroll').boundingBox())!];
    const session = await page.context().newCDPSession(page);
    const fingers = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ id: 1, x: x + 100, y: y + 60 }, { id: 2, x: x + 100 + apart, y: y + 60 }] });
    await fingers('touchStart', 40);
    for (const apart of [50, 60, 80]) await fingers('touchMove', apart);
    await fingers('touchEnd', 0);
    await expect.poll(async () => (await drawing.boundingBox())!.width).toBeGreaterThan(before * 1.4);
    await page.locator('rect.seat.A').first().focus();
    // A long row is folded, and says so.
    expect(await page.locator('.rowname').allTextContents()).toEqual(['Row 1 (1–30)', 'Row 1 (31–60)', 'Row 2 (1–30)', 'Row 2 (31–60)']);
    for (let n = 1; n <= 11; n++) {
      await page.keyboard.press(' ');
      await page.keyboard.press('ArrowRight');
    }
    expect(await page.locator('.picked li').count()).toBe(10);
    await page.locator('.cart .notice').getByText('Up to 10 seats per person').waitFor();
    const hold = page.getByRole('button', { name: 'Hold 10 seats' });
    await page.evaluate(() => scrollTo(0, 0));
    const box = await hold.boundingBox();
    expect(box!.y).toBeGreaterThan(0);
    expect(box!.y + box!.height).toBeLessThanOrEqual(phone.viewport.height);
    await hold.click();
    await page.locator('[role=timer]').waitFor();
    expect(complaints).toEqual([]);
  });
});
