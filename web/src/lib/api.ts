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
  headers: Headers;
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
    const result: Answer<T> = { status: answer.status, headers: answer.headers };
    if (answer.ok) result.data = json as T;
    else result.problem = { code: 'unknown', ...json, status: answer.status };
    return result;
  } catch {
    return null;
  }
}

// A fresh key for each thing the visitor does, the same for its repetitions.
export const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
