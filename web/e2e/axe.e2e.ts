import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, phone, desktop, Server, visit } from './harness.ts';
import { buy, concert, crowd, joinAndEnter, signIn, type Made } from './stage.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const server = new Server();
let browser: Browser;
let open: Made;
let soon: Made;
let full: Made;

beforeAll(async () => {
  await server.start();
  browser = await launch();
  open = await concert(server, { title: 'Open' });
  soon = await concert(server, { title: 'Soon', opensInMs: 3_600_000 });
  full = await concert(server, { title: 'Full', sections: [{ name: 'A', rows: 1, seatsPerRow: 1 }] });
  await buy(server, full.id, full.schedules[0]!.id, [1], 'fast');
  const crowded = await concert(server, { title: 'Crowded', room: { capacity: 1, notice: 'Doors open late' } });
  goHome = await crowd(server, crowded.id, 3);
  waiting = crowded.id;
});
let waiting = 0;
let goHome = () => {};
afterAll(async () => {
  goHome();
  await browser?.close();
  await server.stop();
});

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const run = (globalThis as any).axe.run;
    const found = await run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return found.violations.map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.target.join(' ')).join('; ')}`);
  });
}

// `sign`: what only shows when the page has read what it shows.
async function consoleAt(page: Page, path: string, sign: string): Promise<void> {
  await signIn(page, server, path);
  await page.locator(sign).first().waitFor();
}

const screens: Record<string, (page: Page) => Promise<void>> = {
  home: async (page) => {
    await page.goto(server.url);
    await page.locator('h3').first().waitFor();
  },
  'before the sale': async (page) => {
    await page.goto(`${server.url}/events/${soon.id}`);
    await page.locator('#before').waitFor();
  },
  waiting: async (page) => {
    await page.goto(`${server.url}/events/${waiting}`);
    await page.locator('#join').click();
    await page.locator('#waiting').waitFor();
  },
  'your turn': async (page) => {
    await page.goto(`${server.url}/events/${open.id}`);
    await page.locator('#join').click();
    await page.locator('#enter').waitFor();
  },
  'sold out': async (page) => {
    await page.goto(`${server.url}/events/${full.id}`);
    await page.locator('#ended').waitFor();
  },
  'seats as a map': async (page) => {
    await joinAndEnter(page, server.url, open.id);
    await page.locator('.sections button').first().click();
    await page.locator('rect.seat.A').first().click();
  },
  'seats as a list': async (page) => {
    await joinAndEnter(page, server.url, open.id);
    await page.locator('.sections button').first().click();
    await page.locator('.tabs button').nth(1).click();
  },
  'payment and booked': async (page) => {
    const made = await concert(server);
    await joinAndEnter(page, server.url, made.id);
    await page.locator('.best .primary').click();
    await page.locator('[role=timer]').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('.card > .primary').click();
    await page.locator('.done').waitFor();
  },
  rankings: async (page) => {
    await page.goto(`${server.url}/rankings`);
    await page.locator('.board li').first().waitFor();
  },
  docs: async (page) => {
    await page.goto(`${server.url}/docs`);
    await page.locator('summary').first().click();
  },
  'a problem': async (page) => void (await page.goto(`${server.url}/docs/problems/sold-out`)),
  'the line without JavaScript': async (page) => void (await page.goto(`${server.url}/events/${open.id}?plain=1`)),
  'console, signed out': async (page) => {
    await page.goto(`${server.url}/console`);
    await page.locator('input').waitFor();
  },
  'console, overview': (page) => consoleAt(page, '', 'td a[href^="#/events/"]'),
  'console, live': (page) => consoleAt(page, `events/${open.id}`, '.lines'),
  'console, seats': (page) => consoleAt(page, `events/${open.id}/seats`, 'canvas'),
  'console, new concert': (page) => consoleAt(page, 'new', 'form.wizard'),
  'console, rankings': (page) => consoleAt(page, 'rankings', 'input[type=file]'),
  'console, audit': (page) => consoleAt(page, 'audit', 'tbody tr'),
  'console, system': (page) => consoleAt(page, 'system', '.tile'),
};

for (const [name, open_] of Object.entries(screens)) {
  it(`${name}: nothing to complain about, ko and en, light and dark, and nothing wider than a phone`, async () => {
    for (const [locale, colorScheme, size] of [['ko-KR', 'light', phone], ['en-GB', 'dark', desktop], ['ko-KR', 'dark', desktop], ['en-GB', 'light', phone]] as const) {
      const { page, complaints } = await visit(browser, { ...size, locale, colorScheme, reducedMotion: 'reduce' });
      await open_(page);
      expect([locale, colorScheme, await violations(page)]).toEqual([locale, colorScheme, []]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });
}
