// Calls without a fan's identity, in the language of the page.
import { request, type Answer, type Call } from '../../client/http.ts';

export { newKey, unanswered, type Answer, type Call, type Problem } from '../../client/http.ts';

export const call = <T>(path: string, options: Call = {}): Promise<Answer<T> | null> => request<T>(path, options, document.documentElement.lang);
