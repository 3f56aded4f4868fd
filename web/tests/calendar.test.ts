import { expect, it } from 'vitest';
import type { Reservation } from '../client/contract.ts';
import { calendarOf } from '../src/me/calendar.ts';

const booking = { reservationId: 'abc', code: 'K7M2-9XQP', title: '첫눈, 콘서트; 겨울', venue: '올림픽홀', concertDate: '2026-12-24', startsAt: '2026-12-24T10:00:00.000Z', labels: ['R 1-3', 'R 1-4'] } as Reservation;

it('calendar has the show with its seats, escaped, in lines of at most 75 bytes', () => {
  const text = calendarOf({ ...booking, title: `${booking.title} ${'긴 제목 '.repeat(12)}` }, Date.parse('2026-11-17T00:00:00Z'));
  const unfolded = text.replaceAll('\r\n ', '');
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  expect(unfolded).toContain('DTSTART:20261224T100000Z\r\nDTEND:20261224T130000Z\r\n');
  expect(unfolded).toContain('SUMMARY:첫눈\\, 콘서트\\; 겨울');
  expect(unfolded).toContain('DESCRIPTION:R 1-3\\, R 1-4\\nK7M2-9XQP\r\n');
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
});
it('show without a time is a whole day', () => {
  const text = calendarOf({ ...booking, startsAt: null, concertDate: '2026-12-31' }, 0);
  expect(text).toContain('DTSTART;VALUE=DATE:20261231\r\nDTEND;VALUE=DATE:20270101\r\n');
});
