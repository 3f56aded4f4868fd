// Builds the pages and writes them as one C++ source: every file as bytes, plain and gzipped, with its hashed name.
//   node build.ts --out DIR --cpp FILE --openapi FILE
// Fails if a page exceeds its size budget.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { budgets, overBudget } from './tools/budget.ts';
import { cppSource, type WebFile } from './tools/cpp.ts';
import { renderDocs } from './tools/docs.ts';
import { lineWordKeys } from './client/words.ts';
import { dictionaries, isOperatorLanguage, languages, languagesOf, lateWords, pageHtml, pages, plainTemplates, problemTemplate, waitTemplates, type Assets, type Language } from './tools/shell.ts';

const options = parseArgs({
  options: { out: { type: 'string' }, cpp: { type: 'string' }, openapi: { type: 'string' } },
}).values;
const out = resolve(options.out ?? 'dist');
const here = import.meta.dirname;

// The line and the seats are built alone, without shared chunks, so that each contains only the code it uses.
const alone = ['event', 'seats'] as const;
const groups = [...alone.map((page) => [page]), ['wait'], pages.filter((page) => !alone.some((each) => each === page))];
for (const [i, entries] of groups.entries()) {
  const input = Object.fromEntries(entries.map((page) => [page, join(here, `${page}.html`)]));
  await build({ root: here, configFile: join(here, 'vite.config.ts'), build: { outDir: out, emptyOutDir: i === 0, rolldownOptions: { input, checks: { pluginTimings: false } } } });
}

// The browser client for other sites: two modules with fixed names, and the element's sentences from the pages' dictionaries.
const clientOut = join(out, 'client');
const wordsOf = (language: Language) => Object.fromEntries(lineWordKeys.map((key) => [key, dictionaries[language].event[key]]));
await build({
  root: here,
  configFile: false,
  logLevel: 'warn',
  define: { __LINE_WORDS__: JSON.stringify(Object.fromEntries(languages.map((language) => [language, wordsOf(language)]))) },
  build: {
    target: 'es2022',
    outDir: clientOut,
    minify: true,
    lib: { entry: { maejin: join(here, 'client/index.ts'), 'maejin-line': join(here, 'client/element.ts') }, formats: ['es'] },
    emptyOutDir: true,
    rolldownOptions: { output: { chunkFileNames: '[name].js', minify: true } },
  },
});

// The rarely needed parts of the line, as one module: a chunk of Vite's would bring a helper that weighs more than what it saves.
await build({
  root: here,
  configFile: false,
  logLevel: 'warn',
  define: { __LATE_WORDS__: JSON.stringify(Object.fromEntries(languages.map((language) => [language, lateWords(language)]))) },
  build: { target: 'es2022', outDir: join(out, 'late'), emptyOutDir: true, minify: true, lib: { entry: { late: join(here, 'src/event/late.ts') }, formats: ['es'] }, rolldownOptions: { output: { minify: true } } },
});

// The tags that Vite wrote for a page: its script, the chunks it needs at once, its styles.
function assetsOf(page: string): Assets {
  const html = readFileSync(join(out, `${page}.html`), 'utf8');
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map((match) => match[1] as string);
  return {
    scripts: all(/<script[^>]*src="([^"]+)"/g),
    preloads: all(/<link rel="modulepreload"[^>]*href="([^"]+)"/g),
    styles: all(/<link rel="stylesheet"[^>]*href="([^"]+)"/g),
  };
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const files: WebFile[] = [];
function add(name: string, language: string, content: string | Buffer): WebFile {
  const plain = Buffer.from(content);
  const file = {
    name,
    language,
    type: types[extname(name)] as string,
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 16),
    plain,
    gzip: gzipSync(plain, { level: 9, memLevel: 9 }),
    brotli: brotliCompressSync(plain),
  };
  files.push(file);
  return file;
}

for (const name of readdirSync(join(out, 'assets')).sort()) add(`assets/${name}`, '', readFileSync(join(out, 'assets', name)));
for (const name of readdirSync(clientOut).sort()) add(`client/${name}`, '', readFileSync(join(clientOut, name)));
const late = readFileSync(join(out, 'late/late.js'));
const lateName = `assets/late-${createHash('sha256').update(late).digest('base64url').slice(0, 8)}.js`;
add(lateName, '', late);
add('sw.js', '', readFileSync(join(here, 'src/me/sw.js')));
add('favicon.svg', '', readFileSync(join(here, 'src/lib/favicon.svg')));
// The pages are also written beside the assets, to view them without a C++ build.
mkdirSync(join(out, 'html'), { recursive: true });
const failures: string[] = [];
const clientFiles = files.filter((file) => file.name.startsWith('client/'));
failures.push(...overBudget('client', '', clientFiles[0] as WebFile, clientFiles.slice(1)));
for (const page of pages) {
  const assets = { ...assetsOf(page), late: `/${lateName}` };
  const reference = page === 'docs' ? readFileSync(options.openapi ?? join(here, '../openapi.yaml'), 'utf8') : '';
  for (const language of languagesOf(page)) {
    const body = page === 'docs' && isOperatorLanguage(language) ? renderDocs(reference, language) : undefined;
    const text = pageHtml(page, language, assets, body);
    const html = add(`${page}.html`, language, text);
    writeFileSync(join(out, 'html', `${page}.${language}.html`), text);
    const needed = [...assets.scripts, ...assets.preloads, ...assets.styles].map((path) => path.slice(1));
    failures.push(...overBudget(page, language, html, files.filter((file) => needed.includes(file.name))));
  }
}
for (const language of languages) {
  for (const [name, html] of Object.entries(plainTemplates(language, assetsOf('event')))) add(name, language, html);
  if (isOperatorLanguage(language)) add('problem.html', language, problemTemplate(language, assetsOf('event')));
  const waiting = assetsOf('wait');
  for (const [name, html] of Object.entries(waitTemplates(language, waiting))) add(name, language, html);
  const page = files.find((file) => file.name === 'wait.html' && file.language === language) as WebFile;
  const needed = [...waiting.scripts, ...waiting.preloads, ...waiting.styles].map((path) => path.slice(1));
  failures.push(...overBudget('wait', language, page, files.filter((file) => needed.includes(file.name))));
}
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}
writeFileSync(join(out, 'sizes.json'), JSON.stringify({ budgets, files: files.map((f) => [f.name, f.language, f.gzip.length]) }, null, 1));
if (options.cpp) {
  mkdirSync(dirname(options.cpp), { recursive: true });
  rmSync(options.cpp, { force: true });
  writeFileSync(options.cpp, cppSource(files));
}
