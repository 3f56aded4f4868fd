// A test with the server and the browser of its file. Its pages are closed when it ends, so that they do not poll during the next test.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { test } from 'vitest';
import { launch, Server, visit } from './harness.ts';

export type Open = (options?: BrowserContextOptions) => Promise<{ page: Page; complaints: string[] }>;
export interface Journey {
  server: Server;
  browser: Browser;
  open: Open;
}

export const journey = test.extend<Journey>({
  server: [
    async ({}, use) => {
      const server = new Server();
      await server.start('serve', ['--webhooks-allow-private', 'true']);
      await use(server);
      await server.stop();
    },
    { scope: 'file' },
  ],
  browser: [
    async ({}, use) => {
      const browser = await launch();
      await use(browser);
      await browser.close();
    },
    { scope: 'file' },
  ],
  open: async ({ browser }, use) => {
    const opened: Page[] = [];
    await use(async (options = {}) => {
      const visited = await visit(browser, options);
      opened.push(visited.page);
      return visited;
    });
    await Promise.all(opened.map((page) => page.context().close()));
  },
});
