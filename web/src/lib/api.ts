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
  // `Retry-After` in seconds; 0 if absent.
  retryAfterMs: number;
}
export interface Call {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export async function call<T>(path: string, { method = 'GET', body, headers = {} }: Call = {}): Promise<Answer<T> | null> {
  try {
    const init: RequestInit = { method, headers: { ...headers } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      (init.headers as Record<string, string>)['Content-Type'] = 'application/json';
    }
    const answer = await fetch(path, init);
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
