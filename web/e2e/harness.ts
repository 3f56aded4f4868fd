// Starts and stops the real program and a real browser, for tests and screenshots.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

export const binary = process.env['MAEJIN_BINARY'] ?? resolve(import.meta.dirname, '../../build/release/bin/maejin');

// Starts maejin and waits until it prints its address.
async function listening(args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const url = await new Promise<string>((ready, fail) => {
    const hear = (chunk: Buffer) => {
      // With TLS the log also has a plain address for local commands.
      said += chunk.toString().replace(/operators: \S+/g, '');
      const found = /listening on (https?:\/\/\S+)/.exec(said) ?? /(http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (found) ready(found[1] as string);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('exit', (code) => fail(new Error(`maejin ended with ${code}: ${said}`)));
    setTimeout(() => fail(new Error(`maejin does not listen: ${said}`)), 60_000).unref();
  });
  return { child, url };
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  await gone;
}

// The payment sandbox, with optional faults.
export class Provider {
  url = '';
  #process: ChildProcess | null = null;

  async start(): Promise<void> {
    const { child, url } = await listening(['sandbox-pay', '--listen', '127.0.0.1:0']);
    this.#process = child;
    this.url = url;
  }
  // Faults that are not named are off.
  async misbehave(faults: Record<string, number | boolean>): Promise<void> {
    await fetch(`${this.url}/faults`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(faults) });
  }
  stop(): Promise<void> {
    return end(this.#process, 'SIGKILL');
  }
}

export class Server {
  url = '';
  readonly #data = mkdtempSync(join(tmpdir(), 'maejin-web-'));
  #process: ChildProcess | null = null;

  // `args` follow the verb. A restart uses the same data folder and port.
  async start(verb = 'serve', args: string[] = []): Promise<void> {
    const listen = this.url ? new URL(this.url).host : '127.0.0.1:0';
    const { child, url } = await listening([verb, '--listen', listen, '--data', this.#data, ...args]);
    this.#process = child;
    this.url = url;
  }
  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await end(this.#process, signal);
    this.#process = null;
  }
  async stop(): Promise<void> {
    await this.kill('SIGKILL');
    rmSync(this.#data, { recursive: true, force: true });
  }
  get keyFile(): string {
    return join(this.#data, 'admin.key');
  }
  get adminKey(): string {
    return readFileSync(this.keyFile, 'utf8').trim();
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
  // A fan that uses the API without a browser.
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

// A page in its own browser context, with its own storage and language. Collects the page's console errors.
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ locale: 'ko-KR', ...options });
  // A generous timeout for busy machines.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refusal (4xx) is expected; only errors of the page itself count.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}
