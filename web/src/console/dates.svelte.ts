// New dates of a concert: their days and show times, and the seats that they share or that a file gives each of them.
import { readPlan, rowsOf, type NewSchedule, type NewSection, type SeatPlan } from './plan.ts';
import { instantOf, wallOf } from './zone.ts';

interface Row {
  date: string;
  time: string; // empty: not announced
  own: NewSchedule | null; // its plan and times from the file
}
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export class NewDates {
  zone = $state('');
  rows = $state<Row[]>([]);
  sections = $state<(NewSection & { rows: number; seatsPerRow: number; price: number })[]>([]);
  // The plan of the file; null: the sections above are used.
  plan = $state.raw<SeatPlan | null>(null);
  file = $state('');
  // The file has no plan that can be read.
  unreadable = $state(false);

  constructor() {
    this.reset();
  }
  reset(): void {
    this.rows = [{ date: inDays(30), time: '19:00', own: null }];
    this.sections = [{ name: 'VIP', rows: 5, seatsPerRow: 20, price: 165000 }, { name: 'R', rows: 15, seatsPerRow: 30, price: 99000 }];
    this.forget();
  }
  add(): void {
    this.rows.push({ date: inDays(30 + this.rows.length), time: this.rows.at(-1)?.time ?? '19:00', own: null });
  }
  forget(): void {
    this.plan = null;
    this.file = '';
    this.unreadable = false;
    this.rows = this.rows.map((row) => ({ ...row, own: null }));
  }
  async take(file: File): Promise<void> {
    const found = readPlan(await file.text());
    this.unreadable = found === null;
    if (!found) return;
    this.plan = found.plan;
    this.file = file.name;
    if (found.dates.length === 0) return;
    this.rows = found.dates.map((own) => ({ date: own.concertDate, time: own.startsAt ? wallOf(own.startsAt, this.zone || 'UTC').slice(11) : '', own }));
  }
  // The seats of the first date, as they are drawn.
  get shown(): SeatPlan {
    return this.plan ?? { sections: $state.snapshot(this.sections) as NewSection[] };
  }
  get seats(): number {
    return (this.shown.sections ?? []).reduce((sum, section) => sum + rowsOf(section).reduce((all, size) => all + size, 0), 0);
  }
  schedules(): NewSchedule[] {
    return this.rows.map(({ date, time, own }) => {
      const seats = own ? { sections: own.sections ?? [], ...(own.blocked && { blocked: own.blocked }), ...(own.wheelchair && { wheelchair: own.wheelchair }) } : this.shown;
      const sale = own ? { ...(own.salesEndAt && { salesEndAt: own.salesEndAt }), ...(own.bookingOpenAt && { bookingOpenAt: own.bookingOpenAt }) } : {};
      return { concertDate: date, ...(time && { startsAt: instantOf(`${date}T${time}`, this.zone || 'UTC') }), ...seats, ...sale };
    });
  }
}
