// Pictures of every screen, ko and en, phone and desktop, into docs/images: `./dev screenshots`.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { desktop, launch, phone, Server, visit } from './harness.ts';
import { buy, concert, crowd, type Made } from './stage.ts';

const out = resolve(import.meta.dirname, '../../docs/images');
mkdirSync(out, { recursive: true });
const server = new Server();
const hall = [
  { name: 'VIP', rows: 4, seatsPerRow: 16, price: 165000 },
  { name: 'R', rows: 10, seatsPerRow: 24, price: 132000 },
  { name: 'S', rows: 14, seatsPerRow: 28, price: 99000 },
];

// A past to look back on: sell-outs of the last days.
async function history(): Promise<void> {
  const shows = [
    ['별 헤는 밤', '윤슬', 'KSPO 돔', 41_230],
    ['Midnight Parade', 'The Lanterns', '고척 스카이돔', 83_237],
    ['여름의 끝', '새벽기차', '잠실실내체육관', 125_690],
    ['First Snow Tour', 'Haneul', '올림픽홀', 167_140],
    ['달빛 산책', '고요', '세종문화회관', 209_900],
    ['우리들의 축제', '청춘밴드', '인천 문학경기장', 251_020],
    ['Encore', 'Nari', '블루스퀘어', 754_480],
  ] as const;
  const lines = shows.map(([title, artist, venue, ms], i) => {
    const opened = Date.now() - 3_600_000 - i * 600_000;
    const at = (time: number) => new Date(time).toISOString();
    return { title, artist, venue, bookingOpenAt: at(opened), soldOutAt: at(opened + ms), schedules: [{ concertDate: `2026-12-${10 + i}`, seats: 12000 }] };
  });
  await server.api('POST', '/api/v1/admin/soldouts', lines.map((line) => JSON.stringify(line)).join('\n'), { 'Content-Type': 'application/x-ndjson' });
}

// Some seats of a hall are gone, some are being chosen.
async function fill(made: Made, seats: number, seed: number): Promise<void> {
  const schedule = made.schedules[0]!.id;
  for (let i = 0; i < 60; i++) {
    const first = 1 + ((i * 37 + seed * 11) % (seats - 4));
    await buy(server, made.id, schedule, [first, first + 1, first + 2].slice(0, 1 + (i % 3)), `guest-${seed}-${i}`, i % 5 !== 0).catch(() => 0);
  }
}

async function signIn(page: Page, hash: string): Promise<void> {
  await page.goto(`${server.url}/console`);
  await page.evaluate((key) => sessionStorage.setItem('maejin:admin', key), server.adminKey);
  await page.goto(`${server.url}/console#/${hash}`);
  await page.reload();
}

async function enter(page: Page, id: number): Promise<void> {
  await page.goto(`${server.url}/events/${id}`);
  await page.locator('#join').click();
  await page.locator('#enter').click();
  await page.waitForURL(/\/seats/);
  await page.locator('.sections button').nth(1).click();
}

async function take(browser: Browser, shows: { open: Made; soon: Made; busy: Made }): Promise<void> {
  const screens: [string, (page: Page) => Promise<unknown>][] = [
    ['home', (page) => page.goto(server.url)],
    ['before-the-sale', (page) => page.goto(`${server.url}/events/${shows.soon.id}`)],
    [
      'waiting',
      async (page) => {
        await page.goto(`${server.url}/events/${shows.busy.id}`);
        await page.locator('#join').click();
        await page.locator('#waiting').waitFor();
        await page.locator('#eta').filter({ hasText: /\d/ }).waitFor({ timeout: 30_000 });
      },
    ],
    [
      'your-turn',
      async (page) => {
        await page.goto(`${server.url}/events/${shows.open.id}`);
        await page.locator('#join').click();
        await page.locator('#enter').waitFor();
      },
    ],
    [
      'seats',
      async (page) => {
        await enter(page, shows.open.id);
        for (let i = 0; i < 2; i++) await page.locator('rect.seat.A').nth(70).click();
      },
    ],
    [
      'payment',
      async (page) => {
        await enter(page, shows.open.id);
        await page.locator('.best .primary').click();
        await page.locator('[role=timer]').waitFor();
      },
    ],
    [
      'booked',
      async (page) => {
        await enter(page, shows.open.id);
        await page.locator('.best .primary').click();
        await page.locator('.card > .primary').click();
        await page.locator('.done').waitFor();
      },
    ],
    ['rankings', (page) => page.goto(`${server.url}/rankings`)],
    ['docs', (page) => page.goto(`${server.url}/docs#get-api-v1-rooms-eventId-entries-me`)],
    ['console-overview', (page) => signIn(page, '')],
    [
      'console-live',
      async (page) => {
        await signIn(page, `events/${shows.busy.id}`);
        await page.waitForTimeout(15_000);
      },
    ],
    ['console-seats', (page) => signIn(page, `events/${shows.open.id}/seats`)],
    ['console-new', (page) => signIn(page, 'new')],
    ['console-rankings', (page) => signIn(page, 'rankings')],
    ['console-audit', (page) => signIn(page, 'audit')],
    ['console-system', (page) => signIn(page, 'system')],
  ];
  const wanted = process.argv[2];
  for (const [name, show] of screens) {
    if (wanted && !name.startsWith(wanted)) continue;
    for (const locale of ['ko', 'en']) {
      for (const [kind, size] of [['phone', phone], ['desktop', desktop]] as const) {
        const dark = kind === 'desktop' && name === 'console-live';
        const { page } = await visit(browser, { ...size, deviceScaleFactor: 1, locale: locale === 'ko' ? 'ko-KR' : 'en-GB', timezoneId: 'Asia/Seoul', colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
        await show(page);
        await page.waitForTimeout(1200);
        await page.screenshot({ path: join(out, `${name}-${locale}-${kind}.png`) });
        await page.context().close();
      }
    }
    console.log(name);
  }
}

await server.start();
const browser = await launch();
try {
  await history();
  const open = await concert(server, { title: '들판의 주말', sections: hall });
  const soon = await concert(server, { title: '첫눈 콘서트', opensInMs: 1_800_000, sections: hall });
  const busy = await concert(server, { title: '열흘의 밤', sections: hall, room: { capacity: 1500, admission: 'push', ratePerMinute: 60, notice: '입장이 잠시 늦어지고 있습니다. Doors are a little late tonight.' } });
  const small = await concert(server, { title: '골목 콘서트', sections: [{ name: 'A', rows: 1, seatsPerRow: 2, price: 44000 }] });
  await buy(server, small.id, small.schedules[0]!.id, [1, 2], 'early');
  await fill(open, 304, 1);
  const goHome = await crowd(server, busy.id, 260, 'night');
  await take(browser, { open, soon, busy });
  goHome();
} finally {
  await browser.close();
  await server.stop();
}
