// One call of the API. A refusal is a value with its stable code; only a lost connection is `null`.
export interface Problem {
  code: string;
  title?: string;
  detail?: string;
  status: number;
  field?: string;
  mayReturn?: boolean;
}
export interface Answer<T> {
  status: number;
  data?: T;
  problem?: Problem;
  // `Retry-After` in milliseconds; 0 if absent.
  retryAfterMs: number;
}
export interface Call {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

// `language`: of the page, so that a refusal has the language of the text around it.
export async function request<T>(url: string, { method = 'GET', body, headers = {} }: Call, language: string): Promise<Answer<T> | null> {
  try {
    const init: RequestInit = { method, headers: { ...(language && { 'Accept-Language': language }), ...headers } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      (init.headers as Record<string, string>)['Content-Type'] = 'application/json';
    }
    const answer = await fetch(url, init);
    const text = answer.status === 204 || answer.status === 304 ? '' : await answer.text();
    const json = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
    const result: Answer<T> = { status: answer.status, retryAfterMs: (Number(answer.headers.get('Retry-After')) || 0) * 1000 };
    if (answer.ok) result.data = json as T;
    else result.problem = { code: 'unknown', ...json, status: answer.status };
    return result;
  } catch {
    return null;
  }
}

// Neither done nor refused: lost connection or overload. The call may be retried.
export const unanswered = (answer: Answer<unknown> | null): boolean => answer === null || answer.status >= 500 || answer.status === 429;

// A new Idempotency-Key for each action of the visitor; retries use the same one.
export const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');

export const rest = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

// Delay of the next poll after `failures` lost calls: the server's interval, then exponential back-off, with jitter, and never
// before `Retry-After`.
export function nextPoll(pollAfterMs: number, failures: number, random: number, retryAfterMs = 0): number {
  const base = Math.max(500, Math.min(pollAfterMs, 60_000));
  const backoff = failures === 0 ? base : Math.min(15_000, 1000 * 2 ** Math.min(failures, 4));
  return Math.max(backoff * (0.85 + random * 0.3), retryAfterMs * (1 + random * 0.3));
}
