// The turn and the time inside: alerts, the focus, the true limit of a session, and questions before something is lost.
import { describe, expect } from 'vitest';
import { phone } from './harness.ts';
import { journey } from './journey.ts';
import { concert, crowd, joinAndEnter } from './stage.ts';

describe('the turn', () => {
  journey('rings, vibrates and notifies fans that asked for it, once for all tabs, and focuses the way in', async ({ server, browser, expect }) => {
    const made = await concert(server, { title: '내 순서', room: { capacity: 0 } });
    const context = await browser.newContext({ ...phone, locale: 'ko-KR', permissions: ['notifications'] });
    context.setDefaultTimeout(60_000);
    // Records what the browser is asked to do.
    await context.addInitScript(() => {
      const did: string[] = ((globalThis as any).did = []);
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (when?: number) {
        did.push('sound');
        return start.call(this, when);
      };
      navigator.vibrate = () => !!did.push('vibration');
      const Real = Notification;
      (globalThis as any).Notification = class extends Real {
        constructor(title: string, options?: NotificationOptions) {
          super(title, options);
          did.push(`${title}: ${options?.body}`);
        }
      };
    });
    const page = await context.newPage();
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#join').click();
    const alert = page.getByRole('button', { name: '순서가 되면 알림 받기' });
    await alert.click();
    await page.locator('#alert[aria-pressed=true]').waitFor();
    // The answer is there to see, not only to hear.
    const told = await page.getByText('소리와 알림으로 알려 드립니다').boundingBox();
    expect(told?.height).toBeGreaterThan(10);
    const other = await context.newPage();
    await other.goto(`${server.url}/events/${made.id}`);
    await other.locator('#alert[aria-pressed=true]').waitFor();
    await page.bringToFront();
    // The connection stays in view while the page is scrolled.
    await page.setViewportSize({ width: 360, height: 480 });
    await page.evaluate(() => scrollTo(0, 0));
    const bar = await page.locator('.connection').boundingBox();
    expect((bar?.y ?? 999) + (bar?.height ?? 999)).toBeLessThanOrEqual(480);
    // Leaving asks, and the harmless answer has the focus.
    await page.locator('#leave').click();
    await page.getByText('대기를 취소할까요?').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('계속 대기');
    await page.keyboard.press('Enter');
    await page.locator('#ask').waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('leave');
    await server.api('PATCH', `/api/v1/rooms/${made.id}`, { capacity: 5 });
    await page.locator('#turn').waitFor();
    await other.locator('#turn').waitFor({ state: 'attached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('enter');
    expect(await page.locator('#turn-left').evaluate((element) => parseFloat(getComputedStyle(element).fontSize))).toBeGreaterThanOrEqual(48);
    const did = () => Promise.all([page, other].map((each) => each.evaluate(() => (globalThis as any).did as string[]))).then((all) => all.flat());
    await expect.poll(did).toContain('vibration');
    const all = await did();
    expect(all.filter((each) => each.includes('입장 순서가 되었습니다'))).toEqual(['입장 순서가 되었습니다: 내 순서']);
    expect(all.filter((each) => each === 'vibration')).toHaveLength(1);
    await context.close();
  });

  journey('page that waits for the line joins its pre-queue, so that its fan is in the draw', async ({ server, open, expect }) => {
    const made = await concert(server, { title: 'Early', opensInMs: 3_600_000 });
    const { page, complaints } = await open({ ...phone, locale: 'en-GB' });
    await page.goto(`${server.url}/events/${made.id}`);
    await page.getByRole('button', { name: 'Join when it opens' }).click();
    await page.getByRole('button', { name: /^Keep this page open/ }).waitFor();
    await server.api('PATCH', `/api/v1/concerts/${made.id}`, { preQueueAt: new Date(Date.now() - 1000).toISOString() });
    await page.locator('#waiting').getByText('The order is drawn at the opening').waitFor();
    expect(complaints).toEqual([]);
  });

  journey('fan that missed the turn is told, keeps the place, and is asked below the turn before leaving', async ({ server, open, expect }) => {
    const made = await concert(server, { title: 'Missed', room: { capacity: 1, turnSeconds: 5 } });
    const { page } = await open({ ...phone, locale: 'en-GB' });
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#join').click();
    await page.locator('#turn').waitFor();
    await page.locator('#leave-turn').click();
    // The question does not begin under the coloured area of the turn.
    const [turn, question] = await Promise.all([page.locator('#turn').boundingBox(), page.locator('#ask p').boundingBox()]);
    expect(question!.y).toBeGreaterThanOrEqual(turn!.y + turn!.height);
    await page.keyboard.press('Enter');
    const goHome = await crowd(server, made.id, 1, 'next');
    await page.getByText('You keep your place and will be called again soon').waitFor();
    expect(await page.locator('#ahead').textContent()).toBe('0');
    goHome();
  });

  journey('session shows its true end, and losing seats or the session asks first', async ({ server, open, expect }) => {
    const made = await concert(server, { title: 'Time', room: { sessionLimitSeconds: 900, tokenTtlSeconds: 60 } });
    const { page, complaints } = await open({ locale: 'en-GB' });
    await joinAndEnter(page, server.url, made.id);
    const left = async () => {
      const [, minutes, seconds] = /(\d+):(\d+)/.exec((await page.getByText('Time left to choose').textContent()) ?? '') ?? [];
      return Number(minutes) * 60 + Number(seconds);
    };
    const first = await left();
    expect(first).toBeGreaterThan(800);
    expect(first).toBeLessThanOrEqual(901); // rounded up, with the offset of the page's clock
    // Polls extend the slot by its 60 s; the clock goes on.
    const polled = page.waitForResponse(/entries\/me/);
    await polled;
    await expect.poll(left).toBeLessThan(first);
    await page.locator('.best .primary').click();
    await page.locator('[role=timer]').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\d+:\d\d left to pay · Time/);
    await page.getByRole('button', { name: 'Release seats' }).click();
    await page.getByText('Release these seats?').waitFor();
    await page.getByRole('button', { name: 'Keep the seats' }).click();
    await page.locator('[role=timer]').waitFor();
    await page.getByRole('button', { name: 'Release seats' }).click();
    await page.getByRole('button', { name: 'Release seats' }).click();
    await page.locator('.sections button').first().waitFor();
    await page.locator('.cart').getByRole('button', { name: /^(Leave|Stop)/ }).click();
    await page.getByRole('button', { name: 'Go on booking' }).click();
    expect(page.url()).toContain('/seats');
    expect(complaints).toEqual([]);
  });
});
