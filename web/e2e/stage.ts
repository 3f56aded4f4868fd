// Shared steps of the tests: concerts, fans over the API, and a fan's steps in a browser.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Server } from './harness.ts';

export interface Made {
  id: number;
  schedules: { id: number }[];
}
export interface Section {
  name: string;
  rows: number;
  seatsPerRow: number;
  price?: number;
  shape?: number[];
}
export interface Wish {
  title?: string;
  artist?: string;
  venue?: string;
  opensInMs?: number | null;
  sections?: Section[];
  holdSeconds?: number;
  room?: Record<string, unknown>;
  dates?: string[];
  color?: string;
  organizer?: string;
}

export async function concert(server: Server, wish: Wish = {}): Promise<Made> {
  const opens = wish.opensInMs === undefined ? -1000 : wish.opensInMs;
  const made = await server.api<Made>('POST', '/api/v1/concerts', {
    title: wish.title ?? '첫눈 콘서트',
    artist: wish.artist ?? '하늘',
    venue: wish.venue ?? '올림픽홀',
    price: 99000,
    holdSeconds: wish.holdSeconds ?? 300,
    color: wish.color ?? null,
    organizer: wish.organizer ?? null,
    ...(opens === null ? {} : { bookingOpenAt: new Date(Date.now() + opens).toISOString() }),
    schedules: (wish.dates ?? ['2036-12-24']).map((concertDate) => ({ concertDate, sections: wish.sections ?? [{ name: 'R', rows: 2, seatsPerRow: 5, price: 99000 }] })),
  });
  if (wish.room) await server.api('PUT', `/api/v1/rooms/${made.id}`, wish.room);
  return made;
}

// An arena as its plan draws it: the floor in front of the stage, both sides, the back, and a ring above.
const block = (name: string, price: number, rows: number, shape: number[]): Section => ({ name, rows, seatsPerRow: 20, price, shape });
const box = (x: number, y: number, width: number, height: number) => [x, y, x + width, y, x + width, y + height, x, y + height];
export const arena: Section[] = [
  ...[0, 1, 2].flatMap((column) => [0, 1].map((row) => block(`F${row * 3 + column + 1}`, 165_000, 12, box(300 + column * 140, row * 170, 130, 160)))),
  ...[0, 1, 2].flatMap((row) => [
    block(`L${row + 1}`, 132_000, 15, [150 - row * 20, row * 115, 280, row * 115, 280, row * 115 + 105, 132 - row * 20, row * 115 + 105]),
    block(`R${row + 1}`, 132_000, 15, [730, row * 115, 860 + row * 20, row * 115, 878 + row * 20, row * 115 + 105, 730, row * 115 + 105]),
  ]),
  ...[0, 1, 2, 3].map((i) => block(`B${i + 1}`, 99_000, 16, [290 + i * 110, 360, 390 + i * 110, 360, 375 + i * 130, 480, 255 + i * 130, 480])),
  ...[0, 1, 2, 3, 4, 5].map((i) => block(`U${i + 1}`, 77_000, 18, [140 + i * 125, 500, 255 + i * 125, 500, 250 + i * 130, 610, 120 + i * 130, 610])),
];

// Fans that join before the browser's fan. They keep polling until the returned function is called.
export async function crowd(server: Server, event: number, size: number, name = 'crowd'): Promise<() => void> {
  const room = `/api/v1/rooms/${event}/entries`;
  const names = Array.from({ length: size }, (_, i) => `${name}-${i}`);
  for (const user of names) await server.fan(user, 'POST', room, { userId: user });
  const timer = setInterval(() => {
    for (const user of names) server.fan(user, 'GET', `${room}/me`).catch(() => undefined);
  }, 1500);
  return () => clearInterval(timer);
}

export interface Held {
  reservationId: string;
  amount: number;
}

// A fan enters over the API and holds the given seats.
export async function take(server: Server, event: number, schedule: number, seats: number[], user: string): Promise<{ status: number; data: Held }> {
  const joined = await server.fan(user, 'POST', `/api/v1/rooms/${event}/entries`, { userId: user });
  const token = joined.data.token as string;
  await server.fan(user, 'POST', `/api/v1/rooms/${event}/enter`, {}, token);
  return server.fan<Held>(user, 'POST', '/api/v1/reservations', { scheduleId: schedule, seats, userId: user }, token);
}

export async function payFor(server: Server, user: string, held: Held): Promise<number> {
  const paid = await server.fan(user, 'POST', `/api/v1/reservations/${held.reservationId}/payment`, { amount: held.amount });
  return paid.status;
}

export async function buy(server: Server, event: number, schedule: number, seats: number[], user: string, pay = true): Promise<number> {
  const { status, data } = await take(server, event, schedule, seats, user);
  return status === 201 && pay ? payFor(server, user, data) : status;
}

export async function joinAndEnter(page: Page, url: string, event: number): Promise<void> {
  await page.goto(`${url}/events/${event}`);
  await page.locator('#join').click();
  await page.locator('#enter').click();
  await page.waitForURL(/\/seats/);
  await page.locator('.sections button').first().waitFor();
}

// Opens the console at a route, with the admin key typed in unless the browser has a session.
export async function signIn(page: Page, server: Server, path: string): Promise<void> {
  await page.goto(`${server.url}/console#/${path}`);
  await page.locator('input[type=password], nav a[aria-current=page]').first().waitFor();
  if (await page.locator('input[type=password]').isVisible()) {
    await page.locator('input[type=password]').fill(server.adminKey);
    await page.getByRole('button', { name: /^(Sign in|로그인)$/ }).click();
  }
  await page.locator('nav a[aria-current=page]').first().waitFor();
}

// A picture of the browser's own making, as a file that a person chooses.
export async function png(page: Page, width: number, height: number): Promise<Buffer> {
  const url = await page.evaluate(
    ([w, h]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: w, height: h });
      const brush = canvas.getContext('2d')!;
      brush.fillStyle = '#1f7a8c';
      brush.fillRect(0, 0, w!, h!);
      return canvas.toDataURL('image/png');
    },
    [width, height],
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
// A receiver of webhooks; `answer` is the status of each answer.
export class Receiver {
  readonly bodies: string[] = [];
  answer = 204;
  #server: HttpServer;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        this.bodies.push(body);
        response.writeHead(this.answer).end(this.answer === 204 ? undefined : 'busy');
      });
    });
  }
  async start(): Promise<string> {
    await new Promise<void>((ready) => this.#server.listen(0, '127.0.0.1', ready));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }
  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

// An endpoint whose receiver refuses its first event.
export async function refusing(server: Server): Promise<{ id: number; close: () => void }> {
  const receiver = new Receiver();
  receiver.answer = 500;
  const url = await receiver.start();
  const { id } = await server.api<{ id: number }>('POST', '/api/v1/admin/webhooks', { url, types: ['concert.*'], description: 'CRM' });
  await server.api('POST', `/api/v1/admin/webhooks/${id}/test`);
  return { id, close: () => receiver.close() };
}

// What makes the page wider than the window; empty if it fits.
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth);
    return wide.map((each) => each.outerHTML.slice(0, 100));
  });
}
