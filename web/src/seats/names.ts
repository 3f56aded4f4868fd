// Names of seats.
import { call } from '../lib/api.ts';
import { t } from '../lib/text.ts';
import { seatAt, type Plan } from './layout.ts';

export function seatName(plan: Plan, number: number): string {
  const seat = seatAt(plan, number);
  return seat ? t('seatName', { section: plan.sections[seat.section]?.name ?? '', row: seat.row, place: seat.place }) : String(number);
}

// For screens without a map.
export async function seatNames(schedule: number, numbers: number[]): Promise<string[]> {
  const plan = (await call<Plan>(`/api/v1/schedules/${schedule}/seats?form=compact`))?.data;
  return numbers.map((number) => (plan ? seatName(plan, number) : String(number)));
}
