// The state of a payment in flight, from its reservation.
import type { Reservation } from './contract.ts';

export type Settlement = 'paid' | 'waiting' | 'declined' | 'refunded' | 'over';

export function settlementOf({ status, paymentStatus }: Pick<Reservation, 'status' | 'paymentStatus'>): Settlement {
  if (status === 'CONFIRMED') return 'paid';
  if (paymentStatus === 'REFUND_DUE' || paymentStatus === 'REFUNDED') return 'refunded';
  // Also after the deadline: late money may still get its seats.
  if (paymentStatus === 'PENDING') return 'waiting';
  return status === 'HELD' ? 'declined' : 'over';
}

// Delay before the next poll in milliseconds; null: give up.
export function nextLook(tries: number): number | null {
  if (tries < 20) return 500;
  return tries < 200 ? 3000 : null;
}
