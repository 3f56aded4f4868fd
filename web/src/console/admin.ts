// The operator's side of the API, typed by openapi.yaml. The browser keeps the session in a cookie that no script can read;
// the page keeps no key.
import createClient from 'openapi-fetch';
import { call, type Answer, type Call } from '../lib/api.ts';
import { language, t } from '../lib/text.ts';
import type { paths } from '../../generated/api.ts';

export type Role = 'viewer' | 'box-office' | 'operator' | 'owner';
export interface Session {
  actor: string;
  role: Role;
  expiresAt: string;
}
const path = '/api/v1/admin/session';
// Others may read: the server refuses their changes of concerts and rooms.
export const operates = (role: Role): boolean => role === 'operator' || role === 'owner';

// The session of the browser; null: there is none, or the server does not answer.
export const session = async (): Promise<Session | null> => (await call<Session>(path))?.data ?? null;
export async function signIn(key: string): Promise<Answer<Session> | null> {
  // A header has no other characters; such a key is wrong.
  if (!/^[\x21-\x7e]+$/.test(key)) return { status: 401, retryAfterMs: 0 };
  return call<Session>(path, { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
}
export const signOut = (): Promise<Answer<unknown> | null> => call(path, { method: 'DELETE' });

// Called when the server does not accept the session any more.
let refused: () => void = () => undefined;
export function whenRefused(tell: () => void): void {
  refused = tell;
}

export const api = createClient<paths>({ baseUrl: location.origin });
api.use({
  onRequest({ request }) {
    request.headers.set('Accept-Language', language);
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
  const answer = await call<T>(path, options);
  if (answer?.status === 401) refused();
  return answer;
}
