// The real program and a real browser, for tests and screenshots. Everything started here is stopped here.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const binary = process.env['MAEJIN_BINARY'] ?? resolve(import.meta.dirname, '../../build/release/bin/maejin');

export class Server {
  url = '';
  readonly #data = mkdtempSync(join(tmpdir(), 'maejin-web-'));
  #process: ChildProcess | null = null;

  // `args` follow the verb; the data folder and a free port are given.
  async start(verb = 'serve', args: string[] = []): Promise<void> {
    const listen = this.url ? new URL(this.url).host : '127.0.0.1:0';
    const child = spawn(binary, [verb, '--listen', listen, '--data', this.#data, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    let said = '';
    await new Promise<void>((ready, fail) => {
      const hear = (chunk: Buffer) => {
        said += chunk;
        const found = /listening on (http:\/\/\S+)/.exec(said) ?? /(http:\/\/127\.0\.0\.1:\d+)/.exec(said);
        if (found) {
          this.url = found[1] as string;
          ready();
        }
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      child.on('exit', (code) => fail(new Error(`maejin ended with ${code}: ${said}`)));
      setTimeout(() => fail(new Error(`maejin does not listen: ${said}`)), 20_000).unref();
    });
  }
  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await gone;
    this.#process = null;
  }
  async stop(): Promise<void> {
    await this.kill('SIGKILL');
    rmSync(this.#data, { recursive: true, force: true });
  }
  get adminKey(): string {
    return readFileSync(join(this.#data, 'admin.key'), 'utf8').trim();
  }
  async api<T = any>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.adminKey}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }
  // A fan of the API's own, who is not in a browser.
  async fan<T = any>(user: string, method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; data: T }> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { 'X-User-Id': user, 'Content-Type': 'application/json', ...(token ? { 'X-Queue-Token': token } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, data: text ? JSON.parse(text) : undefined };
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

export const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };
export const desktop = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 };

// A page in a browser of its own: its own storage, its own language. Complaints of the page are collected.
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ locale: 'ko-KR', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refusal (4xx) is an answer; what counts is what the page itself says.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}
