import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { en } from '../src/text/en.ts';
import { ko } from '../src/text/ko.ts';
import { desktop, phone, Server } from './harness.ts';
import { journey, type Open } from './journey.ts';
import { arena, buy, concert, crowd, png, Receiver, signIn, take, tooWide } from './stage.ts';

const fill = (sentence: string, values: Record<string, string>) => sentence.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

async function desk(open: Open, server: Server, path: string): Promise<{ page: Page; complaints: string[] }> {
  const visited = await open({ locale: 'en-GB' });
  await signIn(visited.page, server, path);
  return visited;
}

describe.concurrent('an operator', () => {
  journey('creates a concert whose early fans are drawn by lot', async ({ server, open }) => {
    const { page, complaints } = await desk(open, server, 'new');
    await page.getByLabel('Title', { exact: true }).fill('제비뽑기의 밤');
    await page.getByLabel('Artist').fill('하늘');
    await page.getByLabel('Venue').fill('올림픽홀');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    // Joining begins 30 minutes before the opening, which is in ten.
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'Fan page' }).waitFor();
    const path = (await page.getByRole('link', { name: 'Fan page' }).getAttribute('href')) ?? '';

    const fan = (await open({ locale: 'en-GB' })).page;
    await fan.goto(server.url + path);
    await fan.locator('#join').click();
    await fan.locator('#eta').filter({ hasText: /drawn/ }).waitFor();
    await fan.locator('#ahead').filter({ hasText: /^\d?\d:\d\d$/ }).waitFor();

    await page.goto(`${server.url}/console#${path}`);
    await page.getByText('line: pre-queue').waitFor();
    await page.getByRole('button', { name: 'Open now' }).click();
    await page.getByText('Open the sale now?').waitFor();
    await page.getByRole('button', { name: 'Open now' }).click();
    await page.getByText('line: open').waitFor();
    await fan.locator('#enter').waitFor();
    expect(complaints).toEqual([]);
  });

  journey('sees and changes the line that fans of a concert wait in, also the site-wide one, or reads that there is none', async ({ open }) => {
    const server = new Server();
    await server.start();
    const made = (room: string) => server.api<{ id: number }>('POST', '/api/v1/concerts', { title: `Line ${room}`, artist: 'A', venue: 'V', price: 1000, room, bookingOpenAt: new Date(Date.now() - 1000).toISOString(), schedules: [{ concertDate: '2036-12-24', seats: 4 }] });
    const [shared, none] = [await made('main'), await made('none')];
    await server.api('PUT', '/api/v1/rooms/main', { state: 'open', capacity: 77 });
    const { page, complaints } = await desk(open, server, '');
    await page.locator('tr', { hasText: 'Line main' }).getByText('0 / 77').waitFor();
    await page.locator('tr', { hasText: 'Line none' }).waitFor();
    expect(await page.locator('tr', { hasText: 'Line none' }).getByText('0 / 800').count()).toBe(0);
    await page.goto(`${server.url}/console#/events/${shared.id}`);
    await page.getByText('This concert uses the site-wide line').waitFor();
    await page.getByRole('button', { name: 'Pause entry' }).click();
    await page.getByText('line: paused').waitFor();
    expect((await server.api<{ state: string }>('GET', '/api/v1/rooms/main')).state).toBe('paused');
    await page.goto(`${server.url}/console#/events/${none.id}`);
    await page.getByText('This concert has no line').waitFor();
    expect(await page.getByRole('button', { name: 'Pause entry' }).count()).toBe(0);
    await page.goto(`${server.url}/console#/events/${none.id}/night`);
    await page.getByText('This concert has no line').waitFor();
    await page.getByRole('button', { name: 'Show the maintenance page' }).waitFor();
    expect(await page.getByRole('button', { name: 'Pause entry' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await server.stop();
  });

  for (const [locale, device] of [['ko-KR', phone], ['en-GB', desktop]] as const) {
    journey(`leads a concert from announcement to cancellation, ${locale}`, async ({ server, open }) => {
      const w = (locale === 'ko-KR' ? ko : en).console;
      const { page, complaints } = await open({ ...device, locale });
      await signIn(page, server, 'new');
      const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true });
      const title = `관리의 밤 ${locale}`;
      await page.getByLabel(w.concertTitle, { exact: true }).fill(title);
      await page.getByLabel(w.artist).fill('하늘');
      await page.getByLabel(w.venue).fill('올림픽홀');
      await page.getByLabel(w.poster).setInputFiles({ name: 'poster.png', mimeType: 'image/png', buffer: await png(page, 640, 400) });
      await page.getByLabel(w.logo).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await png(page, 400, 200) });
      await button(w.next).click();

      await page.getByLabel(w.date, { exact: true }).fill('2037-05-01');
      await page.getByLabel(w.showTime).fill('18:30');
      const plan = page.locator('input[type=file]');
      await plan.setInputFiles({ name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from('{"no":"plan"}') });
      await page.getByText(w.planWrong).waitFor();
      await plan.setInputFiles({ name: 'hall.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ sections: arena })) });
      const drawn = page.getByRole('region', { name: w.planPreview });
      await drawn.locator('.venue g[role=button]').nth(arena.length - 1).waitFor();
      await drawn.locator('.venue g[role=button]', { hasText: 'U6' }).click();
      await drawn.locator('figcaption', { hasText: 'U6' }).waitFor();
      await drawn.locator('canvas').waitFor();
      expect(await tooWide(page)).toEqual([]);
      await button(w.next).click();

      const number = (name: string) => page.getByRole('spinbutton', { name, exact: true });
      await page.getByLabel(w.zone).selectOption('UTC');
      await page.getByLabel(w.opening, { exact: true }).fill('2037-04-01T11:00');
      await page.getByLabel(w.order).selectOption('arrival');
      await number(w.capacity).fill('250');
      await button(fill(w.lessOf, { what: w.perUser })).click();
      await page.getByRole('switch').nth(2).uncheck();
      expect(await number(w.perDate).inputValue()).toBe('4');
      await page.getByLabel(w.organizer, { exact: true }).fill('한강 라이브');
      await button(w.create).click();
      await page.getByRole('link', { name: w.manage }).last().click();
      const id = Number(/events\/(\d+)/.exec(page.url())?.[1]);
      const read = () => server.api<any>('GET', `/api/v1/concerts/${id}`);
      const room = () => server.api<any>('GET', `/api/v1/rooms/${id}`);
      const made = await read();
      expect(made).toMatchObject({ title, bookingOpenAt: '2037-04-01T11:00:00.000Z', maxSeatsPerUser: 7, maxSeatsPerDate: 4, poster: { width: 640 }, organizer: '한강 라이브', logo: { width: 256, height: 128 } });
      expect(made.schedules[0]).toMatchObject({ concertDate: '2037-05-01', startsAt: '2037-05-01T18:30:00.000Z', totalSeats: arena.reduce((sum, { rows, seatsPerRow }) => sum + rows * seatsPerRow, 0) });
      expect(await room()).toMatchObject({ capacity: 250, order: 'arrival', state: 'scheduled' });

      // Changes are saved together; another button in between does not erase them.
      const form = page.getByRole('form', { name: w.announced });
      await form.getByLabel(w.venue).fill('고척스카이돔');
      await number(w.capacity).fill('300');
      await page.getByLabel(w.zone).selectOption('UTC');
      const dates = page.getByRole('region', { name: w.dates });
      await button(w.changeTimes, dates).click();
      await dates.getByLabel(w.showTime).fill('2037-05-01T19:00');
      await button(w.save, dates).click();
      await page.getByRole('status').filter({ hasText: w.saved }).waitFor();
      await dates.getByRole('form', { name: w.changeTimes }).waitFor({ state: 'detached' });
      expect(await form.getByLabel(w.venue).inputValue()).toBe('고척스카이돔');
      await button(w.save, form).click();
      await form.getByText(w.discard).waitFor({ state: 'detached' });
      expect(await read()).toMatchObject({ venue: '고척스카이돔', schedules: [{ startsAt: '2037-05-01T19:00:00.000Z' }] });
      expect((await room()).capacity).toBe(300);

      await button(w.addDates, dates).click();
      await dates.getByLabel(w.date, { exact: true }).fill('2037-05-02');
      await button(w.addDates, dates).click();
      await page.getByRole('status').filter({ hasText: w.datesAdded }).waitFor();
      expect((await read()).schedules).toHaveLength(2);

      // The word must be typed before a button acts.
      const confirm = async (within: Locator, name: string, fields?: () => Promise<void>) => {
        await button(name, within).click();
        const asked = within.getByRole('form', { name });
        await fields?.();
        await asked.getByLabel(fill(w.typeToConfirm, { word: title })).fill('아무 말');
        expect(await button(name, asked).isDisabled()).toBe(true);
        await asked.getByLabel(fill(w.typeToConfirm, { word: title })).fill(title);
        await button(name, asked).click();
        await asked.waitFor({ state: 'detached' });
      };
      const second = dates.getByRole('article').nth(1);
      await confirm(second, w.postpone, () => second.getByLabel(w.newDate).fill('2037-06-05'));
      await page.getByRole('status').filter({ hasText: w.postponed }).waitFor();
      await confirm(second, w.cancelDate);
      await second.locator('.pill.CANCELLED').waitFor();
      expect((await read()).schedules[1]).toMatchObject({ concertDate: '2037-06-05', previousDate: '2037-05-02', status: 'CANCELLED' });

      const sale = page.getByRole('region', { name: w.saleState });
      for (const [name, status] of [[w.openNow, 'OPEN'], [w.closeSale, 'CLOSED'], [w.reopenSale, 'OPEN'], [w.cancelConcert, 'CANCELLED']] as const) {
        await confirm(sale, name);
        await page.locator(`.title .pill.${status}`).waitFor();
        expect((await read()).status).toBe(status);
      }
      await sale.getByText(w.cancelledForGood).waitFor();
      expect(complaints).toEqual([]);
    });
  }

  journey('blocks seats, which fans then cannot choose, and releases them', async ({ server, open }) => {
    const made = await concert(server);
    const seats = `/api/v1/schedules/${made.schedules[0]!.id}/seats`;
    const blocked = async () => (await server.api<{ seats: { number: number; status: string }[] }>('GET', seats)).seats.filter((seat) => seat.status === 'BLOCKED').map((seat) => seat.number);
    const { page } = await desk(open, server, `events/${made.id}/seats`);
    await page.getByLabel('Seat numbers').fill('1-2, 5');
    await page.getByLabel('Seat numbers').press('Tab');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.locator('.tile', { hasText: 'blocked' }).filter({ hasText: '3' }).waitFor();
    expect(await blocked()).toEqual([1, 2, 5]);
    await page.getByLabel('Seat numbers').fill('2');
    await page.getByLabel('Seat numbers').press('Tab');
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await page.locator('.tile', { hasText: 'blocked' }).filter({ hasText: '2' }).waitFor();
    expect(await blocked()).toEqual([1, 5]);
  });

  journey('imports history, sees rejected rows, and rebuilds the boards', async ({ server, open }) => {
    const line = (title: string, soldOutAt: string) =>
      JSON.stringify({ title, artist: 'A', venue: 'V', bookingOpenAt: '2026-03-01T11:00:00.000Z', soldOutAt, schedules: [{ concertDate: '2026-04-01', seats: 50 }] });
    const { page } = await desk(open, server, 'rankings');
    const text = [line('In good time', '2026-03-01T11:05:00.000Z'), line('Before it opened', '2026-03-01T10:00:00.000Z')].join('\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'history.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });
    await page.getByRole('cell', { name: '2', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rebuild' }).click();
    await page.locator('p[role=status]', { hasText: /ms/ }).waitFor();
    const fan = (await open({ locale: 'en-GB' })).page;
    await fan.goto(`${server.url}/rankings?window=all`);
    await fan.getByText('In good time').first().waitFor();
    expect(await fan.getByText('Before it opened').count()).toBe(0);
  });

  journey('pauses the line with a notice, resumes it, and sees both in the audit log', async ({ server, open }) => {
    const made = await concert(server, { room: { capacity: 1 } });
    const goHome = await crowd(server, made.id, 1, 'head');
    const fan = (await open({ locale: 'en-GB' })).page;
    await fan.goto(`${server.url}/events/${made.id}`);
    await fan.locator('#join').click();
    await fan.locator('#waiting').waitFor();
    const { page } = await desk(open, server, `events/${made.id}`);
    await page.locator('#notice').fill('Back in five minutes');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'Pause entry' }).click();
    await page.getByText('line: paused').waitFor();
    const banner = page.locator('.banner', { hasText: 'Entry is paused' });
    await banner.waitFor();
    const width = async (selector: string) => (await page.locator(selector).first().boundingBox())!.width;
    expect(await width('.banner')).toBeGreaterThanOrEqual((await width('.live')) - 1);
    // The state of the line beside the title is no banner.
    expect((await page.locator('.pill.paused').first().boundingBox())!.height).toBeLessThan(32);
    await fan.getByText('Back in five minutes').waitFor();
    await banner.getByRole('button', { name: 'Resume entry' }).click();
    await page.getByText('line: open').waitFor();
    await page.goto(`${server.url}/console#/audit`);
    const rows = page.locator('tbody tr', { hasText: `room ${made.id}` });
    await rows.filter({ hasText: 'paused' }).first().waitFor();
    await rows.filter({ hasText: 'Back in five minutes' }).first().waitFor();
    goHome();
  });

  for (const [locale, device] of [['ko-KR', phone], ['en-GB', desktop]] as const)
    journey(`sees the whole night after a reload, with a crosshair and marks, ${locale}`, async ({ server, open }) => {
      const w = (locale === 'ko-KR' ? ko : en).console;
      const made = await concert(server);
      expect(await buy(server, made.id, made.schedules[0]!.id, [1, 2], 'early')).toBe(200);
      await server.api('PUT', `/api/v1/rooms/${made.id}`, { notice: 'Doors at seven', state: 'paused' });
      await server.api('PUT', `/api/v1/rooms/${made.id}`, { state: 'open' });
      const { page, complaints } = await open({ ...device, locale });
      await signIn(page, server, `events/${made.id}`);
      // The sale was before this page was opened: only the server knows it.
      const chart = (name: string) => page.locator('figure', { has: page.getByText(name, { exact: true }) });
      await chart(w['c-revenue']).filter({ hasText: '198,000' }).waitFor();
      await chart(w['c-sold']).filter({ hasText: '2' }).waitFor();
      // A hold expires, and requests are answered: the server keeps both for the next page.
      await server.api('PATCH', `/api/v1/concerts/${made.id}`, { holdSeconds: 1 });
      expect((await take(server, made.id, made.schedules[0]!.id, [3], 'late')).status).toBe(201);
      const points = async () => (await server.api<{ points: { expired: number; p99Ms: number | null }[] }>('GET', `/api/v1/concerts/${made.id}/series`)).points;
      await vi.waitFor(async () => expect((await points()).at(-1)?.expired).toBe(1), { timeout: 60_000, interval: 1000 });
      const marks = page.getByRole('region', { name: w.marks });
      await marks.getByText(w['mark-paused']).first().waitFor();
      await marks.getByText(w['mark-resumed']).waitFor();
      await marks.getByText(w['mark-opening']).waitFor();
      const [series] = await Promise.all([page.waitForResponse(/\/series$/), page.reload()]);
      expect((await series.json()).points.at(-1)).toMatchObject({ expired: 1, sold: 2 });
      await chart(w['c-revenue']).filter({ hasText: '198,000' }).waitFor();
      await chart(w['c-p99']).filter({ hasText: /\d ms/ }).waitFor();
      await chart(w['c-expired']).filter({ hasText: w.eachMinute }).waitFor();
      // The charts move while the page fills: the pointer follows until all charts show the time under it.
      let x = 20;
      await vi.waitFor(async () => {
        await chart(w['c-revenue']).locator('.u-over').hover({ position: { x: (x = 60 - x), y: 20 } });
        expect(await chart(w['c-waiting']).innerText()).toMatch(/\d\d:\d\d:\d\d/);
      }, { timeout: 60_000, interval: 300 });

      // A draft survives another button: the capacity is typed, entry is paused, and the number is still there.
      await page.getByRole('spinbutton', { name: w.capacity }).fill('123');
      await page.getByRole('button', { name: w.pause, exact: true }).click();
      await page.getByText(w['room-paused']).waitFor();
      expect(await page.getByRole('spinbutton', { name: w.capacity }).inputValue()).toBe('123');
      await page.getByRole('button', { name: w.apply, exact: true }).click();
      await page.getByText(w.nowIs.split('{')[0]!).waitFor({ state: 'detached' });
      expect((await server.api<{ capacity: number }>('GET', `/api/v1/rooms/${made.id}`)).capacity).toBe(123);
      expect(complaints).toEqual([]);
    });

  for (const [locale, device] of [['ko-KR', phone], ['en-GB', desktop]] as const)
    journey(`finds a booking by seat and by code, refunds it, exports the list, revokes the fan, opens the report, ${locale}`, async ({ server, open }) => {
      const w = (locale === 'ko-KR' ? ko : en).console;
      const made = await concert(server);
      const date = made.schedules[0]!.id;
      expect(await buy(server, made.id, date, [1], `ann-${locale}`)).toBe(200);
      expect(await buy(server, made.id, date, [3, 4], `bob-${locale}`, false)).toBe(201);
      const { page, complaints } = await open({ ...device, locale, acceptDownloads: true });
      await signIn(page, server, `events/${made.id}/bookings`);
      const rows = page.locator('tbody tr');
      await rows.filter({ hasText: `ann-${locale}` }).filter({ hasText: w['b-CONFIRMED'] }).waitFor();
      await rows.filter({ hasText: `bob-${locale}` }).filter({ hasText: w['b-HELD'] }).waitFor();
      await page.getByLabel(w.seatNumber).fill('1');
      await page.getByRole('button', { name: w.search }).click();
      await rows.filter({ hasText: `bob-${locale}` }).waitFor({ state: 'detached' });
      const code = (await rows.getByRole('button').first().textContent()) ?? '';
      await page.getByLabel(w.seatNumber).fill('');
      await page.getByLabel(w.code).fill(code.toLowerCase());
      await page.getByRole('button', { name: w.search }).click();
      const booking = page.getByRole('region', { name: `${w.history}: ${code}` });
      await booking.locator('li', { hasText: w['h-paid'] }).waitFor();
      await booking.getByLabel(w.reason).fill('fell ill');
      await booking.getByRole('button', { name: w.refund }).click();
      await booking.getByText(fill(w.refundSure, { amount: locale === 'ko-KR' ? '99,000원' : '₩99,000', seats: 'R 1-1' })).waitFor();
      await booking.getByRole('button', { name: w.refund }).click();
      await booking.locator('li', { hasText: w['end-operator'] }).waitFor();
      await booking.locator('.pill', { hasText: w['b-REFUNDED'] }).waitFor();
      await page.getByLabel(w.code).fill('');
      await page.getByLabel(w.state).selectOption('HELD');
      await page.getByRole('button', { name: w.search }).click();
      await rows.filter({ hasText: `ann-${locale}` }).waitFor({ state: 'detached' });
      await rows.filter({ hasText: `bob-${locale}` }).getByRole('button').click();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: w.exportCsv }).click();
      const file = readFileSync(await (await download).path(), 'utf8');
      expect(file).toContain(`"bob-${locale}"`);
      expect(file).not.toContain(`"ann-${locale}"`);
      await page.getByRole('button', { name: w.revokeFan }).click();
      await page.getByRole('button', { name: w.revokeFan }).click();
      await page.getByText(w.revoked).waitFor();
      await page.goto(`${server.url}/console#/audit`);
      await page.locator('tbody tr', { hasText: 'reservation.cancel' }).filter({ hasText: 'fell ill' }).first().waitFor();

      await page.goto(`${server.url}/console#/events/${made.id}`);
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: w.report }).click();
      const report = await opened;
      await report.getByRole('heading', { name: locale === 'ko-KR' ? '공정성 증명' : 'Fairness certificate' }).waitFor();
      await report.locator('tr', { hasText: locale === 'ko-KR' ? '환불 금액' : 'Refunded amount' }).filter({ hasText: '99000' }).waitFor();
      expect(complaints).toEqual([]);
    });

  journey('reads whether the night is ready, pauses in an emergency, and undoes it', async ({ server, open }) => {
    const made = await concert(server, { room: { capacity: 1 } });
    const goHome = await crowd(server, made.id, 1, 'first');
    const fan = (await open({ locale: 'en-GB' })).page;
    await fan.goto(`${server.url}/events/${made.id}`);
    await fan.locator('#join').click();
    await fan.locator('#waiting').waitFor();
    const { page, complaints } = await desk(open, server, `events/${made.id}/night`);
    await page.locator('.findings li', { hasText: 'payment' }).filter({ hasText: 'no money' }).waitFor();
    const emergency = page.getByRole('region', { name: 'In an emergency' });
    await emergency.getByRole('button', { name: 'Pause entry' }).click();
    await emergency.getByRole('button', { name: 'Resume entry' }).waitFor();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Not ready: repair this before the opening.').waitFor();
    await page.locator('.findings li.bad', { hasText: 'no fan is admitted' }).waitFor();
    await emergency.getByRole('button', { name: 'Undo the last change' }).click();
    await emergency.getByRole('button', { name: 'Pause entry' }).waitFor();
    // A draft survives other buttons: the notice is typed first, and published after the rate was set.
    await emergency.getByLabel('Notice to everyone in line').fill('Please wait');
    await emergency.getByRole('switch', { name: 'No limit' }).uncheck();
    await emergency.getByRole('spinbutton', { name: 'Entries per minute' }).fill('6');
    await emergency.getByRole('button', { name: 'Entries per minute: more' }).click();
    await emergency.getByRole('button', { name: 'Set' }).click();
    await emergency.getByText('7 a minute').waitFor();
    await emergency.getByRole('button', { name: 'Undo the last change' }).click();
    await emergency.locator('strong', { hasText: 'no limit' }).waitFor();
    await server.api('PATCH', `/api/v1/rooms/${made.id}`, { floating: { minPerMinute: 5, maxPerMinute: 9, healthUrl: 'https://shop.invalid/' } });
    await emergency.getByText('between 5 and 9 a minute').waitFor();
    expect(await emergency.getByLabel('Notice to everyone in line').inputValue()).toBe('Please wait');
    await emergency.getByRole('button', { name: 'Publish' }).click();
    await fan.getByText('Please wait').waitFor();

    await emergency.getByRole('spinbutton', { name: 'Minutes' }).fill('5');
    await emergency.getByRole('button', { name: 'Let everybody in' }).click();
    await emergency.getByText(/In force until/).waitFor();
    await fan.locator('#enter').click();
    await fan.waitForURL(/\/seats/);
    await emergency.getByText('Inside without a slot: 1').waitFor();
    await emergency.getByRole('button', { name: 'Undo the last change' }).click();
    await emergency.getByRole('button', { name: 'Let everybody in' }).waitFor();

    // Other journeys use the server at the same time: the switch itself is not set here.
    let since: string | null = null;
    await page.route('**/api/v1/admin/maintenance', (route) => {
      const method = route.request().method();
      if (method !== 'GET') since = method === 'PUT' ? '2026-03-01T11:00:00.000Z' : null;
      return route.fulfill({ json: { active: since !== null, since } });
    });
    await emergency.getByRole('button', { name: 'Show the maintenance page' }).click();
    await emergency.getByText(/Shown since/).waitFor();
    await emergency.getByRole('button', { name: 'Undo the last change' }).click();
    await emergency.getByRole('button', { name: 'Show the maintenance page' }).waitFor();
    expect(complaints).toEqual([]);
    goHome();
  });

  journey('rehearses, reads the report, and cancels a second rehearsal on a phone in Korean', async ({ server, open }) => {
    const begin = async (page: Page, w: typeof en.console | typeof ko.console, numbers: [string, number][]) => {
      const form = page.getByRole('region', { name: w.newRehearsal });
      for (const [name, value] of numbers) await form.getByRole('spinbutton', { name, exact: true }).fill(String(value));
      // Other journeys have fans in line.
      await form.getByLabel(w.duringSale).check();
      await form.getByRole('button', { name: w.startRehearsal, exact: true }).click();
      const asked = form.getByRole('form', { name: w.startRehearsal });
      const word = asked.getByLabel(fill(w.typeToConfirm, { word: w.rehearsalWord }));
      await word.fill('no');
      expect(await asked.getByRole('button', { name: w.startRehearsal }).isDisabled()).toBe(true);
      await word.fill(w.rehearsalWord);
      await asked.getByRole('button', { name: w.startRehearsal }).click();
      await page.getByRole('region', { name: w.rehearsalRuns }).waitFor();
    };
    const { page, complaints } = await desk(open, server, 'rehearsal');
    const w = en.console;
    await page.getByText(w.noRehearsal).waitFor();
    await begin(page, w, [[w.simulatedFans, 6], [w.seats, 4], [w.capacity, 3], [w.opensInSeconds, 2], [w.arriveWithin, 0]]);
    const last = page.getByRole('region', { name: w.lastRehearsal });
    await last.getByText(w['verdict-passed']).waitFor({ timeout: 120_000 });
    await last.getByRole('cell', { name: w['check-double-sale'] }).waitFor();
    expect(await last.locator('tr.bad').count()).toBe(0);
    const { report } = await server.api<any>('GET', '/api/v1/admin/rehearsals/current');
    const tile = (name: string) => last.locator('.tile', { has: page.getByText(name, { exact: true }) }).locator('dd').innerText();
    expect(await tile(w.seatsSold)).toBe('4 / 4');
    expect(await tile(w.arrivals)).toBe(String(report.saleReport.line.arrivals));
    expect(await tile(w.buyersShare)).toBe(`${Math.round(report.saleReport.conversion.buyersOfHolders * 100)} %`);
    expect(await server.api('GET', `/api/v1/concerts/${report.concertId}`)).toMatchObject({ status: 'CANCELLED', listed: false });

    const small = await open({ ...phone, locale: 'ko-KR' });
    await signIn(small.page, server, 'rehearsal');
    const k = ko.console;
    await small.page.getByText(k['verdict-passed']).waitFor();
    expect(await tooWide(small.page)).toEqual([]);
    await begin(small.page, k, [[k.simulatedFans, 20], [k.seats, 5000], [k.capacity, 2], [k.opensInSeconds, 0], [k.arriveWithin, 0]]);
    const runs = small.page.getByRole('region', { name: k.rehearsalRuns });
    await runs.getByRole('progressbar').waitFor();
    expect(await tooWide(small.page)).toEqual([]);
    await runs.getByRole('button', { name: k.cancelRehearsal }).click();
    await runs.getByText(k.cancelRehearsalSure).waitFor();
    await runs.getByRole('button', { name: k.cancelRehearsal }).click();
    await small.page.getByRole('region', { name: k.lastRehearsal }).getByText(k['rehearsal-cancelled']).waitFor();
    expect([...complaints, ...small.complaints]).toEqual([]);
  });

  journey('adds an endpoint of webhooks, sees its secret once, tests it, reads a delivery, sends it again', async ({ server, open }) => {
    const receiver = new Receiver();
    const url = await receiver.start();
    const { page, complaints } = await desk(open, server, 'webhooks');
    await page.getByLabel('Address').fill(url);
    await page.getByLabel('Event types').fill('webhook.test');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('#secret', { hasText: /^whsec_/ }).waitFor();
    await page.getByRole('link', { name: url }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    const row = page.locator('tbody tr', { hasText: 'webhook.test' });
    await row.filter({ hasText: 'delivered' }).waitFor();
    expect(await page.locator('#secret').count()).toBe(0);
    await row.getByRole('button', { name: 'Request' }).click();
    await page.locator('pre', { hasText: '"type": "webhook.test"' }).waitFor();
    await row.getByRole('button', { name: 'Send again' }).click();
    await row.locator('td[data-label=Attempts]', { hasText: /^2$/ }).waitFor();
    expect(receiver.bodies.length).toBe(2);
    expect(receiver.bodies[1]).toBe(receiver.bodies[0]);
    receiver.close();
    expect(complaints).toEqual([]);
  });

  journey('sees that an endpoint is gone, enables it again, disables and removes it', async ({ server, open }) => {
    const receiver = new Receiver();
    receiver.answer = 410;
    const url = await receiver.start();
    const { id } = await server.api<{ id: number }>('POST', '/api/v1/admin/webhooks', { url, types: ['webhook.test'] });
    const { page } = await desk(open, server, `webhooks/${id}`);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('the endpoint answered 410 Gone').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('status').getByRole('link', { name: url }).click();
    receiver.answer = 204;
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.locator('tbody tr', { hasText: 'delivered' }).waitFor();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.locator('#secret', { hasText: /^whsec_/ }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled by an operator').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`Remove ${url}?`).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Create' }).waitFor();
    expect(await page.getByRole('link', { name: url }).count()).toBe(0);
    receiver.close();
  });
});
