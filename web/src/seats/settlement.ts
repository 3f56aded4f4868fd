// What a reservation says about the payment that is under way.
import type { Reservation } from './reservation.ts';

export type Settlement = 'paid' | 'waiting' | 'declined' | 'refunded' | 'over';

export function settlementOf({ status, paymentStatus }: Pick<Reservation, 'status' | 'paymentStatus'>): Settlement {
  if (status === 'CONFIRMED') return 'paid';
  if (paymentStatus === 'REFUND_DUE' || paymentStatus === 'REFUNDED') return 'refunded';
  // Also after the deadline: money that comes late may still get its seats.
  if (paymentStatus === 'PENDING') return 'waiting';
  return status === 'HELD' ? 'declined' : 'over';
}

// How long to wait before the next look, in milliseconds; null: long enough.
export function nextLook(tries: number): number | null {
  if (tries < 20) return 500;
  return tries < 200 ? 3000 : null;
}
