// The room and the concert as they are now, read every second. The server keeps what was before (history.svelte.ts).
import { call, unanswered } from '../lib/api.ts';
import type { Concert } from '../lib/contract.ts';
import { admin } from './admin.ts';

export interface Room {
  state: string;
  capacity: number;
  admission: string;
  ratePerMinute: number | null;
  floating: { minPerMinute: number; maxPerMinute: number } | null;
  notice: string | null;
  waiting: number;
  entered: number;
  serving: number;
  lastNumber: number;
}

// The room in which the fans of a concert wait; null: the concert needs no token.
export const lineOf = ({ id, room }: Pick<Concert, 'id' | 'room'>): string | null => (room === 'none' ? null : room === 'main' ? 'main' : String(id));

export class Watch {
  room = $state<Room | null>(null);
  concert = $state<Concert | null>(null);
  lost = $state(false);
  missing = $state(false);
  // Entered per minute, measured over the last half minute.
  pace = $state<number | null>(null);
  // Joined per minute, over the same time.
  arriving = $state(0);
  #numbers: { at: number; last: number; serving: number }[] = [];

  constructor(readonly event: string) {}

  async read(): Promise<void> {
    const reading = call<Concert>(`/api/v1/concerts/${this.event}`);
    // The concert names its room.
    const known = this.concert ?? (await reading)?.data ?? null;
    const line = known && lineOf(known);
    const [concert, room] = await Promise.all([reading, line === null ? null : admin<Room>(`/api/v1/rooms/${line}`)]);
    this.lost = unanswered(line === null ? concert : room);
    this.missing = concert?.status === 404;
    if (room?.data) this.#note((this.room = room.data));
    if (concert?.data) this.concert = concert.data;
  }

  #note(room: Room): void {
    const at = Date.now() / 1000;
    this.#numbers = [...this.#numbers, { at, last: room.lastNumber, serving: room.serving }].slice(-30);
    const first = this.#numbers[0];
    const since = first && at - first.at >= 3 ? (at - first.at) / 60 : null;
    this.pace = first && since ? (room.serving - first.serving) / since : null;
    this.arriving = first && since ? Math.max(0, room.lastNumber - first.last) / since : 0;
  }
}
