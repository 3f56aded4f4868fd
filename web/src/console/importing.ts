// Sends new dates as a file of any length: all are added, or none.
import { language, t } from '../lib/text.ts';
import type { NewSchedule } from './plan.ts';

interface Refused {
  code: string;
  detail?: string;
  errors?: { line: number; field?: string; detail: string }[];
}

// Resolves to an empty text, or to the reason of a refusal, which names each wrong date.
export async function importDates(concert: number, dates: NewSchedule[]): Promise<string> {
  const body = dates.map((date) => JSON.stringify(date)).join('\n');
  const headers = { 'Content-Type': 'application/x-ndjson', 'Accept-Language': language };
  const answer = await fetch(`/api/v1/concerts/${concert}/schedules/import`, { method: 'POST', body, headers }).catch(() => null);
  if (answer?.ok) return '';
  const problem = (await answer?.json().catch(() => null)) as Refused | null | undefined;
  const faults = problem?.errors?.map(({ line, field, detail }) => `${line}: ${field ?? ''} ${detail}`).join('; ');
  return faults || problem?.detail || problem?.code || t('offline');
}
