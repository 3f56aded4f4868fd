// The page's texts in the language that the server chose, embedded in the page as JSON.
export type Language = 'en' | 'ko' | 'ja' | 'zh-Hant';
export const language = (document.documentElement.lang || 'en') as Language;

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

// Japan and Taiwan are the default regions of their languages.
const locale = language === 'en' ? 'en-GB' : language;
const plain = new Intl.NumberFormat(locale);
export const count = (n: number): string => plain.format(n);
export const money = (n: number): string => t('won', { n: plain.format(n) });

export function clockTime(at: Date | number): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).format(at);
}
// With the device's zone: a visitor abroad reads the time as it is there.
export function dayAndTime(at: string | number): string {
  const options = { month: 'short', day: 'numeric', weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false, timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(locale, options).format(new Date(at)).replace(/GMT\+9(?!:)/, 'KST');
}
// "2026-11-15", a day without a zone; `year`: with the year.
export function dayName(day: string, year = true): string {
  const options = { month: 'short', day: 'numeric', weekday: 'short', timeZone: 'UTC', ...(year && { year: 'numeric' as const }) } as const;
  return new Intl.DateTimeFormat(locale, options).format(new Date(`${day}T00:00:00Z`));
}
// "2026-11" → "2026년 11월", "November 2026".
export function monthName(month: string): string {
  return new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(new Date(`${month}-01T00:00:00Z`));
}
// "16일~22일", "16 – 22"; with the months where they differ.
export function daySpan(first: string, last: string): string {
  const [from, to] = [new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`)];
  const months = first.slice(0, 7) === last.slice(0, 7) ? {} : ({ month: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { ...months, day: 'numeric', timeZone: 'UTC' }).formatRange(from, to);
}
