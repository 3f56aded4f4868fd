// The visitor's identity and tokens, kept in the browser's storage over a closed tab.
// A shop with signed users opens a page with #user=<its token>; otherwise the browser generates a name.
import { newKey } from './api.ts';
import { chosen, handedIn } from './handed.ts';
import { t } from './text.ts';

function remembered(key: string, make: () => string): string {
  const old = localStorage.getItem(key);
  if (old) return old;
  const fresh = make();
  localStorage.setItem(key, fresh);
  return fresh;
}

const handed = handedIn(location.hash);
if (handed) history.replaceState(null, '', location.pathname + location.search);
export const signed = chosen(sessionStorage.getItem('maejin:user'), handed, (name) => confirm(t('otherUser', { name })));
if (signed) sessionStorage.setItem('maejin:user', signed);
export const userId = remembered('maejin:fan', () => `fan-${newKey().slice(0, 12)}`);

// The identity headers, with the room's token if there is one.
export function identity(token?: string | null): Record<string, string> {
  const headers: Record<string, string> = signed ? { Authorization: `Bearer ${signed}` } : { 'X-User-Id': userId };
  if (token) headers['X-Queue-Token'] = token;
  return headers;
}

const tokenKey = (event: string) => `maejin:token:${event}`;
export const tokenOf = (event: string): string | null => localStorage.getItem(tokenKey(event));
export function keepToken(event: string, token: string): void {
  localStorage.setItem(tokenKey(event), token);
}
export function forgetToken(event: string): void {
  localStorage.removeItem(tokenKey(event));
}
