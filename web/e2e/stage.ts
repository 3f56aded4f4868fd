// Shared steps of the tests: concerts, fans over the API, and a fan's steps in a browser.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Server } from './harness.ts';

export interface Made {
  id: number;
  schedules: { id: number }[];
}
export interface Wish {
  title?: string;
  artist?: string;
  venue?: string;
  opensInMs?: number | null;
  sections?: { name: string; rows: number; seatsPerRow: number; price?: number }[];
  holdSeconds?: number;
  room?: Record<string, unknown>;
  dates?: string[];
}

export async function concert(server: Server, wish: Wish = {}): Promise<Made> {
  const opens = wish.opensInMs === undefined ? -1000 : wish.opensInMs;
  const made = await server.api<Made>('POST', '/api/v1/concerts', {
    title: wish.title ?? '첫눈 콘서트',
    artist: wish.artist ?? '하늘',
    venue: wish.venue ?? '올림픽홀',
    price: 99000,
    holdSeconds: wish.holdSeconds ?? 300,
    ...(opens === null ? {} : { bookingOpenAt: new Date(Date.now() + opens).toISOString() }),
    schedules: (wish.dates ?? ['2026-12-24']).map((concertDate) => ({ concertDate, sections: wish.sections ?? [{ name: 'R', rows: 2, seatsPerRow: 5, price: 99000 }] })),
  });
  if (wish.room) await server.api('PUT', `/api/v1/rooms/${made.id}`, wish.room);
  return made;
}

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
