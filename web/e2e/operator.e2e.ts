import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Server } from './harness.ts';
import { journey, type Open } from './journey.ts';
import { buy, concert, crowd, Receiver, signIn } from './stage.ts';

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
    const banner = page.locator('.paused', { hasText: 'Entry is paused' });
    await banner.waitFor();
    await fan.getByText('Back in five minutes').waitFor();
    await banner.getByRole('button', { name: 'Resume entry' }).click();
    await page.getByText('line: open').waitFor();
    await page.goto(`${server.url}/console#/audit`);
    const rows = page.locator('tbody tr', { hasText: `room ${made.id}` });
    await rows.filter({ hasText: 'paused' }).first().waitFor();
    await rows.filter({ hasText: 'Back in five minutes' }).first().waitFor();
    goHome();
  });

  journey('finds a booking by seat and by code, refunds it, exports the list, revokes the fan, opens the report', async ({ server, open }) => {
    const made = await concert(server);
    const date = made.schedules[0]!.id;
    expect(await buy(server, made.id, date, [1], 'ann')).toBe(200);
    expect(await buy(server, made.id, date, [3, 4], 'bob', false)).toBe(201);
    const { page, complaints } = await desk(open, server, `events/${made.id}/bookings`);
    const rows = page.locator('tbody tr');
    await rows.filter({ hasText: 'ann' }).filter({ hasText: 'paid' }).waitFor();
    await rows.filter({ hasText: 'bob' }).filter({ hasText: 'held' }).waitFor();
    await page.getByLabel('Seat number').fill('1');
    await page.getByRole('button', { name: 'Search' }).click();
    await rows.filter({ hasText: 'bob' }).waitFor({ state: 'detached' });
    const code = (await rows.getByRole('button').first().textContent()) ?? '';
    await page.getByLabel('Seat number').fill('');
    await page.getByLabel('Booking code').fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Search' }).click();
    const booking = page.getByRole('region', { name: `History: ${code}` });
    await booking.locator('li', { hasText: 'Paid' }).waitFor();
    await booking.getByLabel('Reason').fill('fell ill');
    await booking.getByRole('button', { name: 'Refund' }).click();
    await booking.getByText('Refund ₩99,000 and put R 1-1 back on sale?').waitFor();
    await booking.getByRole('button', { name: 'Refund' }).click();
    await booking.locator('li', { hasText: 'cancelled by an operator' }).waitFor();
    await booking.locator('.pill', { hasText: 'refunded' }).waitFor();
    await page.getByLabel('Booking code').fill('');
    await page.getByLabel('State').selectOption('HELD');
    await page.getByRole('button', { name: 'Search' }).click();
    await rows.filter({ hasText: 'ann' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'bob' }).getByRole('button').click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    expect(file).toContain('"bob"');
    expect(file).not.toContain('"ann"');
    await page.getByRole('button', { name: 'Revoke this fan’s place' }).click();
    await page.getByRole('button', { name: 'Revoke this fan’s place' }).click();
    await page.getByText('The fan’s place or slot has ended.').waitFor();
    await page.goto(`${server.url}/console#/audit`);
    await page.locator('tbody tr', { hasText: 'reservation.cancel' }).filter({ hasText: 'fell ill' }).first().waitFor();

    await page.goto(`${server.url}/console#/events/${made.id}`);
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Sale report' }).click();
    const report = await opened;
    await report.getByRole('heading', { name: 'Fairness certificate' }).waitFor();
    await report.locator('tr', { hasText: 'Refunded amount' }).filter({ hasText: '99000' }).waitFor();
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
    await emergency.getByLabel('Entries per minute').fill('7');
    await emergency.getByRole('button', { name: 'Set' }).click();
    await emergency.getByText('7 a minute').waitFor();
    await emergency.getByRole('button', { name: 'Undo the last change' }).click();
    await emergency.getByText('no limit', { exact: true }).first().waitFor();
    await server.api('PATCH', `/api/v1/rooms/${made.id}`, { floating: { minPerMinute: 5, maxPerMinute: 9, healthUrl: 'https://shop.invalid/' } });
    await emergency.getByText('between 5 and 9 a minute').waitFor();
    await emergency.getByLabel('Notice to everyone in line').fill('Please wait');
    await emergency.getByRole('button', { name: 'Publish' }).click();
    await fan.getByText('Please wait').waitFor();

    await emergency.getByLabel('Minutes').fill('5');
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
    await page.getByRole('button', { name: 'Create' }).waitFor();
    expect(await page.getByRole('link', { name: url }).count()).toBe(0);
    receiver.close();
  });
});
