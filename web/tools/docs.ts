// Renders openapi.yaml as one HTML page without scripts and external files.
import { load } from 'js-yaml';
import { en } from '../src/text/en.ts';
import { ko } from '../src/text/ko.ts';
import { escape } from './html.ts';
import type { OperatorLanguage } from './shell.ts';

type Json = Record<string, any>;

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const anchor = (method: string, path: string) => `${method}-${path}`.replace(/[^a-z0-9]+/gi, '-').replace(/-$/, '');

function resolver(root: Json) {
  return (node: Json | undefined): Json => {
    let found = node ?? {};
    for (let hops = 0; found['$ref'] && hops < 8; hops++) {
      found = String(found['$ref']).slice(2).split('/').reduce((at, key) => at?.[key.replaceAll('~1', '/')], root as Json) ?? {};
    }
    return found;
  };
}

// The subset of Markdown that descriptions use: text, `code` and paragraphs.
function prose(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') return '';
  const paragraphs = escape(text.trim()).split(/\n\s*\n/);
  return paragraphs.map((p) => `<p>${p.replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')}</p>`).join('');
}

function typeName(schema: Json, resolve: (node: Json) => Json): string {
  if (schema['$ref']) return String(schema['$ref']).split('/').pop() as string;
  if (schema['enum']) return schema['enum'].map((value: unknown) => JSON.stringify(value)).join(' | ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    if (schema[key]) return schema[key].map((each: Json) => typeName(each, resolve)).join(key === 'allOf' ? ' & ' : ' | ');
  }
  if (schema['type'] === 'array') return `${typeName(schema['items'] ?? {}, resolve)}[]`;
  const name = Array.isArray(schema['type']) ? schema['type'].join(' | ') : (schema['type'] ?? 'any');
  return schema['format'] ? `${name} (${schema['format']})` : name;
}

function fields(schema: Json, resolve: (node: Json) => Json, depth = 0): string {
  const whole = resolve(schema);
  if (whole['allOf']) return whole['allOf'].map((part: Json) => fields(part, resolve, depth)).join('');
  if (whole['type'] === 'array') return fields(whole['items'] ?? {}, resolve, depth);
  const required: string[] = whole['required'] ?? [];
  const rows = Object.entries((whole['properties'] ?? {}) as Json).map(([name, each]) => {
    const field = resolve(each as Json);
    const inner = depth < 3 ? fields(each as Json, resolve, depth + 1) : '';
    return `<li><code>${escape(name)}</code>${required.includes(name) ? '<b title="required">*</b>' : ''} <i>${escape(typeName(each as Json, resolve))}</i> ${prose(field['description']).replace(/^<p>|<\/p>$/g, '')}${inner}</li>`;
  });
  return rows.length > 0 ? `<ul class="fields">${rows.join('')}</ul>` : '';
}

function operation(method: string, path: string, op: Json, shared: Json[], resolve: (node: Json) => Json, t: Record<string, string>): string {
  const parameters = [...shared, ...(op['parameters'] ?? [])].map(resolve);
  const inputs = parameters
    .map((p) => `<li><code>${escape(p['name'] ?? '')}</code>${p['required'] ? '<b>*</b>' : ''} <i>${escape(`${p['in']}, ${typeName(p['schema'] ?? {}, resolve)}`)}</i> ${prose(p['description']).replace(/^<p>|<\/p>$/g, '')}</li>`)
    .join('');
  const bodySchema = Object.values((resolve(op['requestBody'])['content'] ?? {}) as Json)[0]?.schema;
  const answers = Object.entries((op['responses'] ?? {}) as Json).map(([status, node]) => {
    const answer = resolve(node as Json);
    const schema = Object.values((answer['content'] ?? {}) as Json)[0]?.schema;
    const shape = schema && status.startsWith('2') ? fields(schema, resolve) : '';
    return `<li><code class="status s${status[0]}">${escape(status)}</code> ${escape(answer['description'] ?? '')}${shape}</li>`;
  });
  const admin = JSON.stringify(op['security'] ?? []).toLowerCase().includes('admin') ? `<span class="pill">${t['admin']}</span>` : '';
  return (
    `<details class="op" id="${anchor(method, path)}"><summary><b class="m ${method}">${method.toUpperCase()}</b> <code>${escape(path)}</code> ${admin}<span class="muted">${prose(op['summary']).replace(/^<p>|<\/p>$/g, '')}</span></summary>` +
    `<div class="stack">${prose(op['description'])}${inputs ? `<h3>${t['parameters']}</h3><ul class="fields">${inputs}</ul>` : ''}` +
    `${bodySchema ? `<h3>${t['body']}</h3>${fields(bodySchema, resolve)}` : ''}<h3>${t['answers']}</h3><ul class="fields">${answers.join('')}</ul></div></details>`
  );
}

export function renderDocs(yaml: string, language: OperatorLanguage): string {
  const root = load(yaml) as Json;
  const t = (language === 'ko' ? ko.docs : en.docs) as Record<string, string>;
  const resolve = resolver(root);
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries((root['paths'] ?? {}) as Json)) {
    for (const method of methods) {
      const op = (item as Json)[method];
      if (!op) continue;
      const tag = op['tags']?.[0] ?? t['other'];
      groups.set(tag, [...(groups.get(tag) ?? []), operation(method, path, op, (item as Json)['parameters'] ?? [], resolve, t)]);
    }
  }
  const contents = [...groups.keys()].map((tag) => `<a href="#tag-${anchor('', tag)}">${escape(tag)}</a>`).join('');
  const sections = [...groups].map(([tag, ops]) => `<section class="stack"><h2 id="tag-${anchor('', tag)}">${escape(tag)}</h2>${ops.join('')}</section>`);
  return (
    `<div class="docs stack"><h1>${t['title']}</h1><p class="muted">${escape(`${root['info']?.title ?? ''} ${root['info']?.version ?? ''}`)} · <a href="/openapi.yaml">openapi.yaml</a></p>` +
    `${prose(root['info']?.description)}<p class="notice">${t['problems']}</p><nav class="row" aria-label="${t['contents']}">${contents}</nav>${sections.join('')}</div>`
  );
}
