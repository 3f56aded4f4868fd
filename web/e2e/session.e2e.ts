// The console's session: where it is kept, what another site's page can do with it, and how it ends.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Server } from './harness.ts';
import { journey } from './journey.ts';
import { concert, signIn } from './stage.ts';

const rotate = '/api/v1/admin/keys/rotate';
const rotations = async (server: Server) => (await server.api<{ entries: { action: string }[] }>('GET', '/api/v1/admin/audit')).entries.filter((row) => row.action === 'keys.rotate').length;
const post = (page: Page, path: string) => page.evaluate(async (to) => (await fetch(to, { method: 'POST' })).status, path);

describe('the console’s session', () => {
  journey('survives a reload, is hidden from scripts, and ends with signing out', async ({ server, open }) => {
    const { page, complaints } = await open({ locale: 'en-GB' });
    await signIn(page, server, 'system');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'maejin_console', httpOnly: true, sameSite: 'Strict', path: '/' });
    const visible = await page.evaluate(() => document.cookie + JSON.stringify({ ...sessionStorage, ...localStorage }) + document.body.outerHTML);
    expect(visible).not.toContain(server.adminKey);
    expect(visible).not.toContain(cookie!.value);
    await page.reload();
    await page.getByRole('heading', { name: 'Configuration' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator’s key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.context().addCookies([cookie!]);
    await page.reload();
    await page.getByLabel('Operator’s key').waitFor();
    expect(complaints).toEqual([]);
  });

  journey('cannot be used by a page of another origin; the own page can', async ({ server, open }) => {
    const { page } = await open({ locale: 'en-GB' });
    await signIn(page, server, '');
    // Another port is another origin but the same site, so that the browser sends the cookie with its requests.
    const other = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(`<form method="post" action="${server.url}${rotate}"><button>win</button></form>`));
    await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
    const evil = await page.context().newPage();
    await evil.goto(`http://127.0.0.1:${(other.address() as { port: number }).port}/`);
    const sent = evil.waitForRequest((request) => request.url().endsWith(rotate));
    await evil.evaluate((to) => fetch(to, { method: 'POST', mode: 'no-cors', credentials: 'include' }), server.url + rotate);
    // Without the cookie it would be 401.
    expect((await (await sent).response())?.status()).toBe(403);
    const navigated = evil.waitForResponse((response) => response.url().endsWith(rotate));
    await evil.getByRole('button').click();
    expect((await navigated).status()).toBe(403);
    expect(await rotations(server)).toBe(0);
    expect(await post(page, rotate)).toBe(200);
    expect(await rotations(server)).toBe(1);
    other.close();
  });

  journey('has the role of its key and ends with it', async ({ server, open }) => {
    const owner = (await open({ locale: 'en-GB' })).page;
    await signIn(owner, server, 'keys');
    await owner.getByLabel('Name').fill('Front desk');
    await owner.getByLabel('Role').selectOption('viewer');
    await owner.getByRole('button', { name: 'Create' }).click();
    const key = await owner.locator('.made').innerText();
    const viewer = (await open({ locale: 'en-GB' })).page;
    await viewer.goto(`${server.url}/console#/audit`);
    await viewer.getByLabel('Operator’s key').fill(key);
    await viewer.getByRole('button', { name: 'Sign in' }).click();
    await viewer.getByText('Front desk').first().waitFor();
    expect(await viewer.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    expect(await post(viewer, rotate)).toBe(403);
    // What the role may not do is not offered, and its pages say why.
    const { id } = await concert(server, { opensInMs: 3_600_000 });
    await viewer.goto(`${server.url}/console#/events/${id}`);
    await viewer.getByText('The role of your key can’t change this.').waitFor();
    for (const name of ['Open now', 'Pause entry', 'Apply']) expect([name, await viewer.getByRole('button', { name }).count()]).toEqual([name, 0]);
    for (const path of ['new', `events/${id}/manage`, 'rankings']) {
      await viewer.goto(`${server.url}/console#/${path}`);
      await viewer.getByText('The role of your key can’t change this.').waitFor();
      expect([path, await viewer.locator('main form, main input').count()]).toEqual([path, 0]);
    }
    await viewer.goto(`${server.url}/console#/audit`);
    await viewer.getByText('Front desk').first().waitFor();
    owner.on('dialog', (dialog) => dialog.accept());
    await owner.locator('tr', { hasText: 'Front desk' }).getByRole('button', { name: 'Delete' }).click();
    await viewer.getByText('Your session has ended.').waitFor();
  });

  journey('is not given for guessed keys: they are limited', async ({ open }) => {
    const server = new Server();
    await server.start();
    const { page } = await open({ locale: 'en-GB' });
    await page.goto(`${server.url}/console`);
    await page.getByLabel('Operator’s key').waitFor();
    const statuses = await page.evaluate(async () => {
      const guess = (n: number) => fetch('/api/v1/admin/session', { method: 'POST', headers: { Authorization: `Bearer guess-${n}` } });
      return Promise.all(Array.from({ length: 25 }, async (_, n) => (await guess(n)).status));
    });
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    await page.getByLabel('Operator’s key').fill(server.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Too many wrong keys').waitFor();
    await server.stop();
  });

  journey('over TLS has a cookie that only this host gets', async ({ open }) => {
    const folder = mkdtempSync(join(tmpdir(), 'maejin-tls-'));
    const [cert, key] = [join(folder, 'a.crt'), join(folder, 'a.key')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'ignore' });
    const server = new Server();
    await server.start('serve', ['--tls-cert-file', cert, '--tls-key-file', key]);
    const { page } = await open({ locale: 'en-GB', ignoreHTTPSErrors: true });
    await signIn(page, server, '');
    expect((await page.context().cookies())[0]).toMatchObject({ name: '__Host-maejin_console', secure: true, httpOnly: true, path: '/' });
    expect(await post(page, rotate)).toBe(200);
    await server.stop();
  });
});
