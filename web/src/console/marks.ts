// What operators did, as marks of the charts. Pure functions.
export type MarkKind = 'opening' | 'paused' | 'resumed' | 'notice' | 'rate' | 'capacity' | 'closed' | 'reopened' | 'cancelled';
export interface Mark {
  at: number; // seconds since 1970
  kind: MarkKind;
  text: string; // the notice, or the new number
}

const ofConcert: Record<string, MarkKind> = { 'concert.close': 'closed', 'concert.reopen': 'reopened', 'concert.cancel': 'cancelled' };

export function markOf({ at, action, detail }: { at: string; action: string; detail: string }): Mark | null {
  const mark = (kind: MarkKind, text = '') => ({ at: Date.parse(at) / 1000, kind, text });
  const known = ofConcert[action];
  if (known) return mark(known);
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(detail || '{}') as Record<string, unknown>;
  } catch {
    return null;
  }
  if (fields['state'] === 'paused') return mark('paused');
  if (fields['state'] === 'open') return mark('resumed');
  if (fields['state'] === 'closed') return mark('closed');
  if (typeof fields['notice'] === 'string') return mark('notice', fields['notice']);
  if ('ratePerMinute' in fields) return mark('rate', fields['ratePerMinute'] === null ? '' : String(fields['ratePerMinute']));
  if ('capacity' in fields) return mark('capacity', String(fields['capacity']));
  return null;
}
