// A show as an iCalendar file (RFC 5545).
import type { Reservation } from '../../client/contract.ts';

const escape = (text: string): string => text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n');
const stamp = (at: string | number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
// Lines of at most 75 bytes; a continued line begins with a blank.
function folded(line: string): string {
  const parts: string[] = [];
  let [part, bytes] = ['', 0];
  for (const letter of line) {
    const size = new TextEncoder().encode(letter).length;
    if (bytes + size > 74) {
      parts.push(part);
      [part, bytes] = ['', 0];
    }
    part += letter;
    bytes += size;
  }
  return [...parts, part].join('\r\n ');
}

// Three hours where the show's time is known, otherwise the whole day. The same booking has one entry, also after a postponement.
export function calendarOf({ reservationId, title, venue, concertDate, startsAt, labels, code }: Reservation, now: number): string {
  const day = (date: string, days = 0) => stamp(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).slice(0, 8);
  const times = startsAt
    ? [`DTSTART:${stamp(startsAt)}`, `DTEND:${stamp(Date.parse(startsAt) + 3 * 3_600_000)}`]
    : [`DTSTART;VALUE=DATE:${day(concertDate ?? '')}`, `DTEND;VALUE=DATE:${day(concertDate ?? '', 1)}`];
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//maejin//tickets//EN',
    'BEGIN:VEVENT',
    `UID:${reservationId}@maejin`,
    `SEQUENCE:${Math.floor(now / 60_000) % 2 ** 31}`,
    `DTSTAMP:${stamp(now)}`,
    ...times,
    `SUMMARY:${escape(title ?? '')}`,
    `LOCATION:${escape(venue ?? '')}`,
    `DESCRIPTION:${escape(`${(labels ?? []).join(', ')}\n${code}`)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map(folded).join('\r\n') + '\r\n';
}
