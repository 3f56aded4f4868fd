// The fields of a sale that operators change: as the form has them, and as the API takes them.
import type { components } from '../../generated/api.ts';
import type { Concert } from '../lib/contract.ts';
import type { Room } from './watch.svelte.ts';
import { instantOf, wallOf } from './zone.ts';

type ConcertChange = components['schemas']['ConcertChange'];
type RoomChange = { capacity?: number; ratePerMinute?: number | null };
// Times are wall times of the form's zone; empty: not set. Null: no limit.
export type SaleForm = {
  title: string;
  artist: string;
  venue: string;
  opens: string;
  preQueue: string;
  order: 'draw' | 'arrival';
  holdSeconds: number;
  perUser: number | null;
  perDate: number | null;
  cooldown: number | null;
  listed: boolean;
  ranked: boolean;
  // Empty or null: the server's.
  organizer: string;
  color: string | null;
  capacity: number;
  rate: number | null;
};
export type SaleRoom = Room & { order: 'draw' | 'arrival'; preQueueAt: string | null };

const limit = (n: number) => (n === 0 ? null : n);
export function formOf(concert: Concert, room: SaleRoom | null, zone: string): SaleForm {
  const wall = (at: string | null | undefined) => (at ? wallOf(at, zone) : '');
  return {
    title: concert.title,
    artist: concert.artist,
    venue: concert.venue,
    opens: wall(concert.bookingOpenAt),
    preQueue: wall(room?.preQueueAt),
    order: room?.order ?? 'draw',
    holdSeconds: concert.holdSeconds,
    perUser: limit(concert.maxSeatsPerUser),
    perDate: limit(concert.maxSeatsPerDate),
    cooldown: limit(concert.cooldownSeconds),
    listed: concert.listed,
    ranked: concert.ranked,
    organizer: concert.organizer ?? '',
    color: concert.color,
    capacity: room?.capacity ?? 0,
    rate: room?.ratePerMinute ?? null,
  };
}

// The changed fields, for the concert and for its room.
export function changesOf(form: Partial<SaleForm>, zone: string): { concert: ConcertChange; room: RoomChange } {
  const concert: ConcertChange = {};
  const room: RoomChange = {};
  const at = (wall: string) => (wall ? instantOf(wall, zone) : null);
  if (form.title !== undefined) concert.title = form.title;
  if (form.artist !== undefined) concert.artist = form.artist;
  if (form.venue !== undefined) concert.venue = form.venue;
  if (form.opens !== undefined) concert.bookingOpenAt = at(form.opens);
  if (form.preQueue !== undefined) concert.preQueueAt = at(form.preQueue);
  if (form.order !== undefined) concert.order = form.order;
  if (form.holdSeconds !== undefined) concert.holdSeconds = form.holdSeconds;
  if (form.perUser !== undefined) concert.maxSeatsPerUser = form.perUser;
  if (form.perDate !== undefined) concert.maxSeatsPerDate = form.perDate;
  if (form.cooldown !== undefined) concert.cooldownSeconds = form.cooldown;
  if (form.listed !== undefined) concert.listed = form.listed;
  if (form.ranked !== undefined) concert.ranked = form.ranked;
  if (form.organizer !== undefined) concert.organizer = form.organizer.trim() || null;
  if (form.color !== undefined) concert.color = form.color;
  if (form.capacity !== undefined) room.capacity = form.capacity;
  if (form.rate !== undefined) room.ratePerMinute = form.rate;
  return { concert, room };
}
