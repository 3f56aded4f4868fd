// axe on every screen: ko and en, and with MAEJIN_ALL fans' screens in ja and zh-Hant; light and dark, phone and desktop; no page is
// wider than 320 px. Two concerts have hard colours; MAEJIN_SITE_COLOR gives all screens another one.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { desktop, phone, Server } from './harness.ts';
import { journey } from './journey.ts';
import { buy, concert, crowd, joinAndEnter, png, refusing, signIn, tooWide, type Made } from './stage.ts';

interface Stage {
  server: Server;
  open: Made;
  soon: Made;
  full: Made;
  waiting: Made;
  hook: number;
}
const it = journey.extend<{ stage: Stage }>({
  stage: [
    async ({ server }, use) => {
      const open = await concert(server, { title: 'Open' });
      const soon = await concert(server, { title: 'Soon', opensInMs: 3_600_000 });
      const full = await concert(server, { title: 'Full', sections: [{ name: 'A', rows: 1, seatsPerRow: 1 }] });
      await buy(server, full.id, full.schedules[0]!.id, [1], 'fast');
      const waiting = await concert(server, { title: 'Crowded', room: { capacity: 1, notice: 'Doors open late' } });
      const goHome = await crowd(server, waiting.id, 3);
      const hook = await refusing(server);
      await server.api('POST', '/api/v1/admin/rehearsals', { fans: 4, seats: 2, opensInSeconds: 0, arriveWithinSeconds: 0, thinkMs: 0, holdSeconds: 1, duringSale: true });
      await use({ server, open, soon, full, waiting, hook: hook.id });
      hook.close();
      goHome();
    },
    { scope: 'file' },
  ],
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const everything = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
// Rules that depend on theme or width; the others were checked already.
const looks = { runOnly: { type: 'rule', values: ['color-contrast', 'target-size', 'scrollable-region-focusable'] } };

async function violations(page: Page, rules: object = everything): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (wanted) => {
    const found = await (globalThis as any).axe.run(document, wanted);
    return found.violations.map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.target.join(' ')).join('; ')}`);
  }, rules);
}

// `sign`: an element that appears when the page has loaded its data.
async function consoleAt(page: Page, server: Server, path: string, sign: string): Promise<void> {
  await signIn(page, server, path);
  await page.locator(sign).first().waitFor();
}

// The line, seats with one chosen, and the payment of a concert in its own colour.
const inColor = (color: string) => async (page: Page, { server }: Stage) => {
  const { id } = await concert(server, { color });
  await page.goto(`${server.url}/events/${id}`);
  await page.locator('#join').click();
  await page.locator('#enter').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator('#enter').click();
  await page.locator('.sections button').first().click();
  await page.locator('.tabs button').nth(1).click();
  await page.locator('.list button').first().click();
  expect(await page.evaluate(() => getComputedStyle(document.querySelector('.primary')!).backgroundColor)).toBe(`rgb(${[1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)).join(', ')})`);
};

const screens: Record<string, (page: Page, stage: Stage) => Promise<void>> = {
  home: async (page, { server }) => {
    await page.goto(server.url);
    await page.locator('h3').first().waitFor();
  },
  'page not found': async (page, { server }) => {
    await page.goto(`${server.url}/nowhere`);
    await page.locator('h1').waitFor();
  },
  'before the sale': async (page, { server, soon }) => {
    await page.goto(`${server.url}/events/${soon.id}`);
    await page.locator('#before').waitFor();
  },
  waiting: async (page, { server, waiting }) => {
    await page.goto(`${server.url}/events/${waiting.id}`);
    await page.locator('#join').click();
    await page.locator('#waiting').waitFor();
  },
  'your turn': async (page, { server, open }) => {
    await page.goto(`${server.url}/events/${open.id}`);
    await page.locator('#join').click();
    await page.locator('#enter').waitFor();
  },
  'sold out': async (page, { server, full }) => {
    await page.goto(`${server.url}/events/${full.id}`);
    await page.locator('#ended').waitFor();
  },
  'seats as a map': async (page, { server, open }) => {
    await joinAndEnter(page, server.url, open.id);
    await page.locator('.sections button').first().click();
    await page.locator('rect.seat.A').first().click();
  },
  'the venue': async (page, { server }) => {
    const sections = ['VIP', 'R', 'S'].map((name, i) => ({ name, rows: 2, seatsPerRow: 6, price: 90_000 - 10_000 * i }));
    await joinAndEnter(page, server.url, (await concert(server, { sections })).id);
    await page.locator('.venue g[role=button]').first().waitFor();
  },
  'seats as a list': async (page, { server, open }) => {
    await joinAndEnter(page, server.url, open.id);
    await page.locator('.sections button').first().click();
    await page.locator('.tabs button').nth(1).click();
  },
  'in yellow': inColor('#ffcc00'),
  'nearly black': inColor('#101010'),
  'payment and booked': async (page, { server }) => {
    const made = await concert(server);
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.locator('[role=timer]').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('.card > .primary').click();
    await page.locator('.done').waitFor();
  },
  'another organiser, leaving, and a closed sale': async (page, { server }) => {
    const { id } = await concert(server, { organizer: '한강 라이브', room: { capacity: 0 } });
    await fetch(`${server.url}/api/v1/concerts/${id}/logo`, { method: 'PUT', body: await png(page, 320, 128), headers: { Authorization: `Bearer ${server.adminKey}` } });
    await page.goto(`${server.url}/events/${id}`);
    await page.locator('#join').click();
    await page.locator('#waiting').waitFor();
    await page.locator('#leave').click();
    await page.locator('#ask').waitFor();
    expect(await violations(page)).toEqual([]);
    await server.api('POST', `/api/v1/concerts/${id}/close`);
    await page.locator('#ended').waitFor();
  },
  'a hold that expired': async (page, { server }) => {
    const made = await concert(server, { holdSeconds: 1 });
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.locator('.narrow > .primary').filter({ hasNotText: /\d/ }).waitFor();
  },
  'the waiting page of a site': async (page, { server }) => {
    const id = `gate-${await page.evaluate(() => crypto.getRandomValues(new Uint32Array(1))[0])}`;
    await server.api('POST', '/api/v1/rooms', { id, capacity: 0, returnUrls: ['https://shop.example'] });
    await page.goto(`${server.url}/wait/${id}?return=https%3A%2F%2Fshop.example%2F`);
    await page.locator('#ahead').filter({ hasText: /\d/ }).waitFor();
  },
  // Of a server of its own, because it replaces every page; shown with the styles of the shared one.
  maintenance: async (page, { server }) => {
    const own = new Server();
    await own.start();
    await own.api('PUT', '/api/v1/admin/maintenance', {});
    const body = await (await fetch(own.url, { headers: { Accept: 'text/html', 'Accept-Language': await page.evaluate(() => navigator.language) } })).text();
    await own.stop();
    await page.route(/under-maintenance/, (route) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
    await page.goto(`${server.url}/under-maintenance`);
    await page.getByRole('link', { name: /^(다시 열기|Load again|再読み込み|重新載入)/ }).waitFor();
  },
  'my bookings and a ticket': async (page, { server }) => {
    const made = await concert(server);
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.locator('.card > .primary').click();
    await page.locator('.done').waitFor();
    await page.goto(`${server.url}/me`);
    await page.locator('li a').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('li a').first().click();
    await page.locator('.qr img').first().waitFor();
  },
  'cancelled with a refund': async (page, { server }) => {
    const made = await concert(server);
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.locator('.card > .primary').click();
    await page.locator('.done').waitFor();
    await server.api('POST', `/api/v1/concerts/${made.id}/cancel`);
    await page.goto(`${server.url}/events/${made.id}`);
    await page.locator('#mine p').waitFor();
    await page.locator('#ended-hint p').waitFor();
  },
  'a draw': async (page, { server, soon }) => {
    await page.goto(`${server.url}/events/${soon.id}/draw`);
    await page.locator('.row a').first().waitFor();
  },
  rankings: async (page, { server }) => {
    await page.goto(`${server.url}/rankings`);
    await page.locator('.board li').first().waitFor();
  },
  docs: async (page, { server }) => {
    await page.goto(`${server.url}/docs`);
    await page.locator('summary').first().click();
  },
  'sold out, seats': async (page, { server, full }) => {
    await page.goto(`${server.url}/events/${full.id}/seats`);
    await page.locator('.over').waitFor();
  },
  'a problem': async (page, { server }) => void (await page.goto(`${server.url}/docs/problems/sold-out`)),
  'the line without JavaScript': async (page, { server, open }) => void (await page.goto(`${server.url}/events/${open.id}?plain=1`)),
  'the ticket without JavaScript': async (page, { server }) => {
    const made = await concert(server);
    await page.goto(`${server.url}/events/${made.id}?plain=1`);
    await page.locator('form .primary').click();
    await page.locator('form .primary').click();
    await page.locator('a.primary').click();
    expect(await violations(page)).toEqual([]);
    await page.locator('form .primary').click();
    await page.locator('form .primary').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('form .primary').click();
    await page.locator('.qr svg').first().waitFor();
  },
  'console, signed out': async (page, { server }) => {
    await page.goto(`${server.url}/console`);
    await page.locator('input').waitFor();
  },
  'console, overview': (page, { server }) => consoleAt(page, server, '', 'td a[href^="#/events/"]'),
  'console, live': (page, { server, open }) => consoleAt(page, server, `events/${open.id}`, '.lines'),
  'console, seats': (page, { server, open }) => consoleAt(page, server, `events/${open.id}/seats`, 'canvas'),
  'console, bookings': async (page, { server }) => {
    const made = await concert(server);
    await buy(server, made.id, made.schedules[0]!.id, [1], `axe-${made.id}`);
    await consoleAt(page, server, `events/${made.id}/bookings`, 'tbody button');
    await page.locator('tbody button').first().click();
    await page.locator('.history li').first().waitFor();
  },
  'console, sale report': async (page, { server, open }) => {
    await consoleAt(page, server, `events/${open.id}`, '.lines');
    await page.goto(`${server.url}/api/v1/concerts/${open.id}/report?format=html`);
    await page.locator('h2').last().waitFor();
  },
  'console, new concert': (page, { server }) => consoleAt(page, server, 'new', 'form.wizard'),
  'console, new dates and rules': async (page, { server }) => {
    await consoleAt(page, server, 'new', 'form.wizard');
    for (const field of await page.locator('.wizard input:not([type=file])').all()) await field.fill('x');
    await page.locator('.wizard .primary').click();
    await page.locator('canvas').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('.wizard .primary').click();
    await page.locator('[role=switch]').first().waitFor();
  },
  'console, one concert': async (page, { server, soon }) => {
    await consoleAt(page, server, `events/${soon.id}/manage`, '.date');
    await page.locator('.date .plain').click();
    await page.locator('.date form').waitFor();
  },
  'console, rehearsal': async (page, { server }) => {
    await consoleAt(page, server, 'rehearsal', '.verdict');
    await page.locator('.button.primary').click();
    await page.locator('form.ask').waitFor();
  },
  'console, rankings': (page, { server }) => consoleAt(page, server, 'rankings', 'input[type=file]'),
  'console, night': (page, { server, open }) => consoleAt(page, server, `events/${open.id}/night`, '.findings li'),
  'console, keys': (page, { server }) => consoleAt(page, server, 'keys', 'tbody tr'),
  'console, webhooks': async (page, { server, hook }) => {
    await consoleAt(page, server, 'webhooks', `a[href="#/webhooks/${hook}"]`);
    await page.locator('input[type=url]').fill('https://hooks.example/');
    await page.locator('form .primary').click();
    await page.locator('#secret').waitFor();
  },
  'console, one webhook': async (page, { server, hook }) => {
    await consoleAt(page, server, `webhooks/${hook}`, 'tbody button');
    await page.locator('tbody button').first().click();
    await page.locator('pre').waitFor();
  },
  'console, audit': (page, { server }) => consoleAt(page, server, 'audit', 'tbody tr'),
  'console, system': (page, { server }) => consoleAt(page, server, 'system', '.tile'),
};

type Look = [locale: string, first: 'light' | 'dark', second: 'light' | 'dark'];
const looksOf = (name: string): Look[] => {
  const two: Look[] = [['ko-KR', 'light', 'dark'], ['en-GB', 'dark', 'light']];
  const forOperators = /^(console|docs|a problem)/.test(name);
  return process.env['MAEJIN_ALL'] && !forOperators ? [...two, ['ja-JP', 'light', 'dark'], ['zh-TW', 'dark', 'light']] : two;
};

describe.concurrent('accessibility', () => {
  for (const [name, show] of Object.entries(screens)) {
    for (const [locale, first, second] of looksOf(name)) {
      it(`${name}, ${locale}`, async ({ stage, open }) => {
        const { page, complaints } = await open({ ...phone, locale, colorScheme: first, reducedMotion: 'reduce' });
        await show(page, stage);
        expect([first, await violations(page)]).toEqual([first, []]);
        await page.setViewportSize({ width: 320, height: 740 });
        expect(await tooWide(page)).toEqual([]);
        await page.setViewportSize(desktop.viewport);
        await page.emulateMedia({ colorScheme: second });
        expect([second, await violations(page, looks)]).toEqual([second, []]);
        expect(complaints).toEqual([]);
      });
    }
  }
});
