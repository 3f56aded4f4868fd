// The operator's side of the API, typed by openapi.yaml. The key stays in this tab.
import createClient from 'openapi-fetch';
import { call, type Answer, type Call } from '../lib/api.ts';
import { language, t } from '../lib/text.ts';
import type { paths } from '../../generated/api.ts';

const stored = 'maejin:admin';
export const key = (): string | null => sessionStorage.getItem(stored);
export function keepKey(value: string): void {
  sessionStorage.setItem(stored, value);
}
export function forgetKey(): void {
  sessionStorage.removeItem(stored);
}

// Called when the server refuses the key.
let refused: () => void = () => undefined;
export function whenRefused(tell: () => void): void {
  refused = tell;
}

const headers = (): Record<string, string> => ({ Authorization: `Bearer ${key() ?? ''}`, 'Accept-Language': language });

export const api = createClient<paths>({ baseUrl: location.origin });
api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(headers())) request.headers.set(name, value);
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) refused();
  },
  // A lost connection is returned as a refusal, so that the page can show it.
  onError: () => Response.json({ code: 'offline', detail: t('offline') }, { status: 503 }),
});

// Calls whose answers openapi.yaml does not type as JSON: NDJSON streams, texts, pages of the log.
export async function admin<T>(path: string, options: Call = {}): Promise<Answer<T> | null> {
  const answer = await call<T>(path, { ...options, headers: { ...headers(), ...options.headers } });
  if (answer?.status === 401) refused();
  return answer;
}
