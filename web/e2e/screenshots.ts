// Screenshots of every screen, ko and en, phone and desktop, into docs/images: `./dev screenshots`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { desktop, launch, phone, Server, visit } from './harness.ts';
import { shrink } from './png.ts';
import { arena, buy, concert, crowd, type Made, type Wish } from './stage.ts';

const out = resolve(import.meta.dirname, '../../docs/images');
mkdirSync(out, { recursive: true });
const server = new Server();
const hall = [
  { name: 'VIP', rows: 4, seatsPerRow: 16, price: 165000 },
  { name: 'R', rows: 10, seatsPerRow: 24, price: 132000 },
  { name: 'S', rows: 14, seatsPerRow: 28, price: 99000 },
];

// A day of the next year: a show of the past is not on sale.
const december = (day: number) => `${new Date().getFullYear() + 1}-12-${day}`;
const staged = (wish: Wish) => concert(server, { dates: [december(24)], ...wish });

// Sell-outs of the last days, for the rankings.
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
    return { title, artist, venue, bookingOpenAt: at(opened), soldOutAt: at(opened + ms), schedules: [{ concertDate: december(10 + i), seats: 12000 }] };
  });
  await server.api('POST', '/api/v1/admin/soldouts', lines.map((line) => JSON.stringify(line)).join('\n'), { 'Content-Type': 'application/x-ndjson' });
}

// Some seats are sold, some held.
async function fill(made: Made, seats: number, seed: number): Promise<void> {
  const schedule = made.schedules[0]!.id;
  for (let i = 0; i < 60; i++) {
    const first = 1 + ((i * 37 + seed * 11) % (seats - 4));
    await buy(server, made.id, schedule, [first, first + 1, first + 2].slice(0, 1 + (i % 3)), `guest-${seed}-${i}`, i % 5 !== 0).catch(() => 0);
  }
}

async function console_(page: Page, at: Server, hash: string): Promise<void> {
  await page.request.post(`${at.url}/api/v1/admin/session`, { headers: { Authorization: `Bearer ${at.adminKey}` } });
  await page.goto(`${at.url}/console#/${hash}`);
}

async function enter(page: Page, id: number, section: number | null = 1): Promise<void> {
  await page.goto(`${server.url}/events/${id}`);
  await page.locator('#join').click();
  await page.locator('#enter').click();
  await page.waitForURL(/\/seats/);
  if (section !== null) await page.locator('.sections button').nth(section).click();
}

// A poster of the browser's own painting: an evening sky over hills.
async function paint(browser: Browser, id: number): Promise<void> {
  const { page } = await visit(browser);
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 800 });
    const brush = canvas.getContext('2d')!;
    const sky = brush.createLinearGradient(0, 0, 0, 800);
    for (const [at, colour] of [[0, '#1c2b57'], [0.55, '#c8607a'], [0.8, '#f6c37f']] as const) sky.addColorStop(at, colour);
    brush.fillStyle = sky;
    brush.fillRect(0, 0, 1280, 800);
    brush.fillStyle = '#fff1cf';
    brush.beginPath();
    brush.arc(900, 470, 90, 0, 7);
    brush.fill();
    for (const [base, height, colour] of [[620, 120, '#7d3f5e'], [680, 90, '#4a2a4d'], [740, 60, '#241a35']] as const) {
      brush.fillStyle = colour;
      brush.beginPath();
      brush.moveTo(0, 800);
      for (let x = 0; x <= 1280; x += 8) brush.lineTo(x, base - height * Math.sin(x / (90 + height) + base));
      brush.lineTo(1280, 800);
      brush.fill();
    }
    return canvas.toDataURL('image/jpeg', 0.9);
  });
  await page.context().close();
  const body = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  await fetch(`${server.url}/api/v1/concerts/${id}/poster`, { method: 'PUT', body, headers: { Authorization: `Bearer ${server.adminKey}` } });
}

// An organiser's logo: three waves and a name.
async function paintLogo(browser: Browser, id: number): Promise<void> {
  const { page } = await visit(browser);
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 440, height: 128 });
    const brush = canvas.getContext('2d')!;
    brush.strokeStyle = brush.fillStyle = '#0b5d7a';
    brush.lineWidth = 12;
    brush.lineCap = 'round';
    for (const y of [40, 68, 96]) {
      brush.beginPath();
      for (let x = 12; x <= 112; x += 2) brush.lineTo(x, y + 9 * Math.sin((x - 12) / 16));
      brush.stroke();
    }
    brush.font = '800 62px sans-serif';
    brush.fillText('HANGANG', 134, 90, 300);
    return canvas.toDataURL('image/png');
  });
  await page.context().close();
  const body = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  await fetch(`${server.url}/api/v1/concerts/${id}/logo`, { method: 'PUT', body, headers: { Authorization: `Bearer ${server.adminKey}` } });
}

type Show = (page: Page) => Promise<unknown>;
interface Shows {
  open: Made;
  soon: Made;
  busy: Made;
  tour: Made;
  dome: Made;
  river: Made;
}

function fanScreens({ open, soon, busy, tour, dome, river }: Shows): Record<string, Show> {
  return {
    home: async (page) => {
      await page.goto(server.url);
      await page.locator('h3').first().waitFor();
    },
    'before-the-sale': async (page) => {
      await page.goto(`${server.url}/events/${soon.id}`);
      await page.locator('#before').waitFor();
    },
    'another-organiser': async (page) => {
      await page.goto(`${server.url}/events/${river.id}`);
      await page.locator('#join').waitFor();
    },
    waiting: async (page) => {
      await page.goto(`${server.url}/events/${busy.id}`);
      await page.locator('#join').click();
      await page.locator('#eta').filter({ hasText: /\d/ }).waitFor();
    },
    'your-turn': async (page) => {
      await page.goto(`${server.url}/events/${open.id}`);
      await page.locator('#join').click();
      await page.locator('#enter').waitFor();
    },
    seats: async (page) => {
      await enter(page, open.id);
      // Two adjacent seats in the middle of the section.
      const first = await page.locator('rect.seat.A').evaluateAll((seats) => {
        const free = seats.map((seat) => Number((seat as HTMLElement).dataset['n']));
        return free.find((n, i) => i > free.length * 0.4 && free.includes(n + 1) && Math.abs(((n - 65) % 24) - 11) < 5);
      });
      for (const number of [first!, first! + 1]) await page.locator(`rect.seat[data-n="${number}"]`).click();
    },
    'venue-map': async (page) => {
      await enter(page, dome.id, null);
      await page.locator('.venue').scrollIntoViewIfNeeded();
      await page.locator('.venue').evaluate((map) => scrollTo(0, scrollY + map.getBoundingClientRect().top - 80));
    },
    'seats-full-date': async (page) => {
      await enter(page, tour.id, 0);
      await page.locator('.dates button').first().click();
      await page.locator('.full').waitFor();
    },
    payment: async (page) => {
      await enter(page, open.id);
      await page.locator('.best .primary').click();
      await page.locator('[role=timer]').waitFor();
    },
    booked: async (page) => {
      await enter(page, open.id);
      await page.locator('.best .primary').click();
      await page.locator('.card > .primary').click();
      await page.locator('.done').waitFor();
    },
    ticket: async (page) => {
      await enter(page, open.id);
      await page.locator('.best .primary').click();
      await page.locator('.card > .primary').click();
      await page.locator('a[href^="/me#"]').first().click();
      await page.locator('.qr img').first().waitFor();
    },
    rankings: async (page) => {
      await page.goto(`${server.url}/rankings?window=weekly`);
      await page.locator('.board li').first().waitFor();
    },
    docs: async (page) => {
      await page.goto(`${server.url}/docs`);
      await page.locator('summary').nth(1).click();
      await page.evaluate(() => scrollTo(0, 0));
    },
  };
}

const consoleScreens = ({ river }: Shows): Record<string, Show> => ({
  'console-new': async (page) => {
    await console_(page, server, 'new');
    const form = page.locator('form.wizard');
    for (const [i, text] of ['별 헤는 밤', '윤슬', 'KSPO 돔'].entries()) await form.locator('input').nth(i).fill(text);
    await form.locator('.primary').click();
    await form.locator('.section').first().waitFor();
  },
  'console-manage': async (page) => {
    await console_(page, server, `events/${river.id}/manage`);
    await page.locator('.logo').waitFor();
    // The organiser's name, colour and logo.
    const field = page.locator((page.viewportSize()?.width ?? 0) < 900 ? 'input[type=color]' : '.logo');
    await field.evaluate((each) => scrollTo(0, scrollY + each.getBoundingClientRect().bottom - innerHeight * 0.6));
  },
  'console-rehearsal': async (page) => {
    await console_(page, server, 'rehearsal');
    await page.locator('.verdict').waitFor();
    await page.locator('.verdict').evaluate((verdict) => scrollTo(0, scrollY + (verdict.closest('section') ?? verdict).getBoundingClientRect().top - 80));
  },
  'console-rankings': (page) => console_(page, server, 'rankings'),
  'console-audit': async (page) => {
    await console_(page, server, 'audit');
    await page.locator('tbody code').first().waitFor();
  },
  'console-system': async (page) => {
    await console_(page, server, 'system');
    await page.locator('.tile').first().waitFor();
  },
});

const wanted = process.argv[2] ?? '';
const kinds = (['ko', 'en'] as const).flatMap((locale) => [{ locale, kind: 'phone', size: { ...phone, hasTouch: true, isMobile: true } }, { locale, kind: 'desktop', size: desktop }] as const);

// The four variants of a screen, in four windows at once.
async function take(browser: Browser, name: string, show: Show, more: BrowserContextOptions = {}): Promise<void> {
  if (!name.startsWith(wanted)) return;
  await Promise.all(
    kinds.map(async ({ locale, kind, size }) => {
      const { page } = await visit(browser, { ...size, deviceScaleFactor: 1, locale: locale === 'ko' ? 'ko-KR' : 'en-GB', timezoneId: 'Asia/Seoul', reducedMotion: 'reduce', ...more });
      await show(page);
      // Nothing is under the pointer, except on the seat map.
      if (name.startsWith('console')) await page.mouse.move(0, 0);
      await page.waitForTimeout(1500);
      writeFileSync(join(out, `${name}-${locale}-${kind}.png`), shrink(await page.screenshot()));
      await page.context().close();
    }),
  );
  console.log(name);
}

// The console during a sale of the demo, with far more fans than seats.
async function takeSale(browser: Browser): Promise<void> {
  if (!['console-live', 'console-overview', 'console-seats'].some((name) => name.startsWith(wanted))) return;
  const demo = new Server();
  await demo.start('demo', ['--opens-in', '10', '--fans', '2400', '--seats', '1200']);
  try {
    const find = async () => (await demo.api<{ concerts: { id: number; totalSeats: number }[] }>('GET', '/api/v1/concerts')).concerts.find((each) => each.totalSeats >= 1000)?.id;
    let id = await find();
    for (let tries = 0; id === undefined && tries < 50; tries++) {
      await new Promise((done) => setTimeout(done, 200));
      id = await find();
    }
    const sold = (page: Page, seats: number) =>
      page.waitForFunction((least) => Number(document.querySelectorAll('figure strong')[4]?.textContent?.replace(/\D/g, '')) >= least, seats, { timeout: 240_000 });
    const live: Show = async (page) => {
      await console_(page, demo, `events/${id}`);
      await sold(page, 420);
    };
    await take(browser, 'console-live', live, { colorScheme: 'dark' });
    await take(browser, 'console-overview', async (page) => {
      await console_(page, demo, '');
      await page.locator('td a').first().waitFor();
    });
    await take(browser, 'console-seats', async (page) => {
      await console_(page, demo, `events/${id}/seats`);
      await page.locator('canvas').first().waitFor();
    });
  } finally {
    await demo.stop();
  }
}

await server.start();
const browser = await launch();
try {
  await takeSale(browser);
  await history();
  const open = await staged({ title: '들판의 주말', artist: '푸른 언덕', venue: '올림픽공원 88잔디마당', sections: hall });
  const soon = await staged({ title: '첫눈 콘서트', opensInMs: 1_800_000, sections: hall });
  const tour = await staged({ title: '새벽기차 전국 투어', artist: '새벽기차', venue: '잠실실내체육관', dates: [24, 25, 26].map(december), sections: [{ name: 'R', rows: 3, seatsPerRow: 8, price: 121000 }] });
  const busy = await staged({ title: '열흘의 밤', sections: hall });
  const dome = await staged({ title: '우리들의 축제', artist: '청춘밴드', venue: 'KSPO 돔', sections: arena });
  const river = await staged({ title: '강변의 여름밤', artist: '물결', venue: '노들섬 라이브하우스', sections: hall, organizer: '한강 라이브', color: '#0b5d7a' });
  await paint(browser, open.id);
  await paintLogo(browser, river.id);
  const small = await staged({ title: '골목 콘서트', artist: '나리', venue: '벨로주 홍대', sections: [{ name: 'A', rows: 1, seatsPerRow: 2, price: 44000 }] });
  await buy(server, small.id, small.schedules[0]!.id, [1, 2], 'early');
  const row = Array.from({ length: 24 }, (_, i) => i + 1);
  for (let i = 0; i < 4; i++) await buy(server, tour.id, tour.schedules[0]!.id, row.slice(i * 6, i * 6 + 6), `tour-${i}`, i > 0);
  await fill(open, 304, 1);
  await fill(busy, 304, 2);
  // Some sections are nearly sold out, some wholly.
  for (const block of [0, 1, 6, 7]) for (let seat = 1; seat < 240; seat += 4) await buy(server, dome.id, dome.schedules[0]!.id, [0, 1, 2, 3].map((n) => block * 240 + seat + n), `dome-${block}-${seat}`).catch(() => 0);
  await server.api('PUT', `/api/v1/rooms/${busy.id}`, { capacity: 1500, admission: 'push', ratePerMinute: 60, notice: '입장이 잠시 늦어지고 있습니다. Doors are a little late tonight.' });
  // One of each action for the audit log.
  for (const body of [{ ratePerMinute: 30 }, { state: 'paused' }, { state: 'open' }, { ratePerMinute: 60 }]) await server.api('PUT', `/api/v1/rooms/${busy.id}`, body);
  await server.api('POST', `/api/v1/schedules/${open.schedules[0]!.id}/block`, { seats: [690, 691, 692, 693] });
  await server.api('POST', '/api/v1/admin/rehearsals', { fans: 120, seats: 80, opensInSeconds: 1, arriveWithinSeconds: 2, duringSale: true });
  const goHome = await crowd(server, busy.id, 260, 'night');
  const shows = { open, soon, busy, tour, dome, river };
  for (const [name, show] of Object.entries({ ...fanScreens(shows), ...consoleScreens(shows) })) await take(browser, name, show);
  goHome();
} finally {
  await browser.close();
  await server.stop();
}
