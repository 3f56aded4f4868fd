// The ends of a sale and what follows it: sold out, cancelled, postponed, refunded; the draw; my bookings and tickets.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { binary, phone, Server } from './harness.ts';
import { journey } from './journey.ts';
import { concert, crowd, joinAndEnter, payFor, take, type Made } from './stage.ts';

// Buys the best seats in the browser; returns the booking's id.
async function bookHere(page: Page, server: Server, made: Made): Promise<string> {
  await joinAndEnter(page, server.url, made.id);
  await page.locator('.best .primary').click();
  await page.locator('[role=timer]').waitFor();
  await page.locator('.card > .primary').click();
  await page.locator('.done').waitFor();
  return (await page.evaluate((id) => localStorage.getItem(`maejin:reservation:${id}`), made.id)) as string;
}
function decode(picture: Buffer): string {
  const file = join(mkdtempSync(join(tmpdir(), 'maejin-qr-')), 'qr.png');
  writeFileSync(file, picture);
  return execFileSync('zbarimg', ['-q', '--raw', file], { encoding: 'utf8' }).trim();
}
function verdict(server: Server, text: string): string {
  try {
    return execFileSync(binary, ['ticket', 'verify', text, '--url', server.url, '--admin-key-file', server.keyFile], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout: string }).stdout);
  }
}

describe.concurrent('the end of a sale', () => {
  journey('sold out tells the time it took, and a waiting fan keeps the place', async ({ server, open }) => {
    const made = await concert(server, { title: 'One Row', opensInMs: -65_000, sections: [{ name: 'R', rows: 1, seatsPerRow: 2 }], room: { capacity: 1 } });
    const schedule = made.schedules[0]!.id;
    const { status, data } = await take(server, made.id, schedule, [1, 2], 'owner');
    expect(status).toBe(201);
    const { page, complaints } = await open({ ...phone, locale: 'en-GB' });
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#join').click();
    await page.locator('#waiting').waitFor();
    expect(await payFor(server, 'owner', data)).toBe(200);
    await page.getByRole('heading', { name: 'Sold out' }).waitFor();
    await page.getByText(/It sold out in \dm \d+s/).waitFor();
    await page.getByText('You keep your place, no. 2').waitFor();
    // A seat that returns calls the fan.
    expect((await server.fan('owner', 'DELETE', `/api/v1/reservations/${data.reservationId}`)).status).toBe(200);
    await page.locator('#enter').waitFor();
    expect(complaints).toEqual([]);
  });

  journey('cancelled concert tells the buyer the refund on every page', async ({ server, open }) => {
    const made = await concert(server, { title: '취소될 공연' });
    const { page, complaints } = await open(phone);
    await bookHere(page, server, made);
    const event = await page.context().newPage();
    await event.goto(`${server.url}/events/${made.id}`);
    await event.locator('#mine').getByText(/R 1-\d, R 1-\d 좌석을 예매하셨습니다/).waitFor();
    await server.api('POST', `/api/v1/concerts/${made.id}/cancel`);
    await page.getByRole('heading', { name: '공연이 취소되었습니다' }).waitFor();
    await page.getByText('결제 금액 198,000원이 환불되었습니다').waitFor();
    await page.locator('main').getByRole('link', { name: '예매 내역' }).waitFor();
    await event.getByRole('heading', { name: '공연이 취소되었습니다' }).waitFor();
    await event.locator('#mine').getByText('결제 금액 198,000원이 환불되었습니다').waitFor();
    await event.getByRole('link', { name: '예매 내역' }).last().click();
    await event.getByRole('heading', { name: '취소 내역' }).waitFor();
    expect(complaints).toEqual([]);
  });

  journey('postponed date shows the old and the new one, also on the booked page and the ticket', async ({ server, open }) => {
    const made = await concert(server, { title: 'Moved' });
    const { page, complaints } = await open({ locale: 'en-GB' });
    const id = await bookHere(page, server, made);
    await server.api('POST', `/api/v1/schedules/${made.schedules[0]!.id}/postpone`, { concertDate: '2037-01-03' });
    await page.getByText('Postponed from Wed, 24 Dec 2036 to Sat, 3 Jan 2037').waitFor();
    await page.getByRole('link', { name: 'Open the ticket' }).click();
    await page.getByText('Postponed from Wed, 24 Dec 2036 to Sat, 3 Jan 2037').waitFor();
    expect(decode(await page.locator('.qr img').first().screenshot())).toContain('.2037-01-03.');
    expect(page.url()).toContain(`/me#${id}`);
    const stranger = (await open({ ...phone, locale: 'ko-KR' })).page;
    await stranger.goto(`${server.url}/events/${made.id}`);
    await stranger.getByText(/12월 24일.* 공연이 2037년 1월 3일.*로 연기되었습니다/).waitFor();
    await server.api('POST', `/api/v1/concerts/${made.id}/close`);
    await stranger.getByRole('heading', { name: '예매가 마감되었습니다' }).waitFor();
    expect(complaints).toEqual([]);
  });

  journey('drawn fan sees the drawn place and verifies the draw in the browser', async ({ server, open }) => {
    const made = await concert(server, { title: '추첨', opensInMs: 600_000, room: { capacity: 0 } });
    const goHome = await crowd(server, made.id, 10, 'drawn');
    const { page, complaints } = await open(phone);
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#join').click();
    await page.getByText('오픈 시각에 순서를 추첨합니다').waitFor();
    await server.api('POST', `/api/v1/concerts/${made.id}/open`);
    const [, place] = /^11명 중 (\d+)번째로 추첨되었습니다/.exec((await page.locator('#drawn').filter({ hasText: '추첨되었습니다' }).textContent()) ?? '') ?? [];
    expect(await page.locator('#ahead').textContent()).toBe(String(Number(place) - 1));
    const link = page.getByRole('link', { name: '추첨 결과 검증하기' });
    await link.click();
    await page.getByText(`11번은 11명 중 ${place}번째로 추첨되었습니다.`).waitFor();
    await page.getByText('✓ 추첨 결과가 정확합니다').waitFor();
    // A server that cheats is found out.
    await page.route(/\/shuffle$/, async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, body: (await answer.text()).replace(/"count":11/, '"count":12') });
    });
    await page.reload();
    await page.getByText('✗ 시드로 추첨한 순서와 다릅니다').waitFor();
    expect(complaints).toEqual([]);
    goHome();
  });
});

describe.concurrent('my bookings', () => {
  journey('ticket is shown, scanned, read offline, printed, cancelled and refunded', async ({ open }) => {
    const server = new Server();
    await server.start();
    const made = await concert(server, { title: 'Ticket Night' });
    const { page, complaints } = await open({ ...phone, locale: 'en-GB', acceptDownloads: true });
    const id = await bookHere(page, server, made);
    await page.getByRole('link', { name: 'My bookings' }).click();
    await page.getByRole('heading', { name: 'Upcoming' }).waitFor();
    await page.getByRole('link', { name: /Ticket Night/ }).click();
    const codes = page.locator('.qr img');
    await codes.nth(1).waitFor();
    const code = (await page.locator('dd.code').textContent()) as string;
    const labels = await page.locator('.label').allTextContents();
    const texts: string[] = [];
    for (const picture of [codes.nth(0), codes.nth(1)]) texts.push(decode(await picture.screenshot()));
    expect(verdict(server, texts[0]!)).toBe(`valid  ${code}  Ticket Night  2036-12-24  ${labels[0]}\n`);
    expect(verdict(server, texts[1]!)).toContain(labels[1]);
    expect(verdict(server, code)).toContain(labels.join(', '));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Add to calendar' }).click()]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('SUMMARY:Ticket Night');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.top').isVisible()).toBe(false);
    expect(await codes.first().isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    // Without a connection: the page from the service worker, the ticket from the browser's storage.
    await page.waitForFunction(() => navigator.serviceWorker.ready.then(() => caches.has('maejin-me')));
    await page.waitForFunction(() => caches.open('maejin-me').then((cache) => cache.match('/me')).then(Boolean));
    await server.kill('SIGKILL');
    await page.goto(`${server.url}/me#${id}`);
    await page.reload();
    await page.getByText('You’re offline').waitFor();
    expect(decode(await codes.first().screenshot())).toBe(texts[0]);
    await server.start();
    await page.getByRole('button', { name: 'Cancel this booking' }).click();
    await page.getByText('₩198,000 will be refunded').waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    expect(verdict(server, code)).toContain('valid');
    await page.getByRole('button', { name: 'Cancel this booking' }).click();
    await page.getByRole('button', { name: 'Cancel the booking' }).click();
    await page.getByText('₩198,000 was refunded').waitFor();
    expect(await codes.count()).toBe(0);
    expect(verdict(server, texts[0]!)).toContain('cancelled');
    expect(complaints).toEqual([]);
    await server.stop();
  });

  journey('two tabs with a hold each lose nothing, and booking more keeps the first booking', async ({ server, open, expect }) => {
    const made = await concert(server, { title: '두 탭', room: { releaseOnPayment: false } });
    const { page, complaints } = await open();
    await joinAndEnter(page, server.url, made.id);
    const other = await page.context().newPage();
    await other.goto(`${server.url}/events/${made.id}/seats`);
    await other.locator('.sections button').first().waitFor();
    await page.locator('.best .primary').click();
    const first = page.locator('.lines').filter({ hasText: /구역/ });
    await first.waitFor();
    await other.locator('.best .primary').click();
    const second = other.locator('.lines').filter({ hasText: /구역/ });
    await second.waitFor();
    const [mine, theirs] = [await first.textContent(), await second.textContent()];
    expect(mine).not.toBe(theirs);
    await page.reload();
    await expect.poll(() => first.textContent()).toBe(mine);
    await page.locator('.card > .primary').click();
    await page.locator('.done').waitFor();
    await page.getByRole('button', { name: '추가 예매' }).click();
    await page.locator('.sections button').first().waitFor();
    await page.goto(`${server.url}/me`);
    await page.getByRole('heading', { name: '관람 예정' }).waitFor();
    await page.getByRole('heading', { name: '결제 대기' }).waitFor();
    await page.getByRole('link', { name: /두 탭.*결제하기/ }).click();
    await expect.poll(() => first.textContent()).toBe(theirs);
    expect(complaints).toEqual([]);
  });
});
