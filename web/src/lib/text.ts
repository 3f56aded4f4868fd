// The page's texts in the language that the server chose, embedded in the page as JSON.
export const language = document.documentElement.lang === 'ko' ? 'ko' : 'en';

const sentences: Record<string, string> = JSON.parse(document.getElementById('text')?.textContent ?? '{}');

export function t(key: string, values: Record<string, string | number> = {}): string {
  return fill(sentences[key] ?? key, values);
}

// `{n}` is a value; `{n|person|people}` is the first word if n is 1.
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, more?: string) =>
    one === undefined ? String(values[name] ?? whole) : String(values[name]) === '1' ? one : (more as string),
  );
}

const locale = language === 'ko' ? 'ko-KR' : 'en-GB';
const plain = new Intl.NumberFormat(locale);
export const count = (n: number): string => plain.format(n);
export const money = (n: number): string => t('won', { n: plain.format(n) });

export function clockTime(at: Date | number): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).format(at);
}
export function dayAndTime(at: string | number): string {
  const options = { month: 'short', day: 'numeric', weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false } as const;
  return new Intl.DateTimeFormat(locale, options).format(new Date(at));
}
// "2026-11-15", a day without a zone; `year`: with the year.
export function dayName(day: string, year = true): string {
  const options = { month: 'short', day: 'numeric', weekday: 'short', timeZone: 'UTC', ...(year && { year: 'numeric' as const }) } as const;
  return new Intl.DateTimeFormat(locale, options).format(new Date(`${day}T00:00:00Z`));
}
