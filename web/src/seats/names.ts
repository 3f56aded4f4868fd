// The names of seats in words, for screens that have no map at hand.
import { call } from '../lib/api.ts';
import { t } from '../lib/text.ts';
import { seatAt, type Plan } from './layout.ts';

export async function seatNames(schedule: number, numbers: number[]): Promise<string[]> {
  const plan = (await call<Plan>(`/api/v1/schedules/${schedule}/seats?form=compact`))?.data;
  if (!plan) return numbers.map(String);
  return numbers.map((number) => {
    const seat = seatAt(plan, number);
    return seat ? t('seatName', { section: plan.sections[seat.section]?.name ?? '', row: seat.row, place: seat.place }) : String(number);
  });
}
