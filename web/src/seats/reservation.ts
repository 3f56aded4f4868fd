export interface Reservation {
  reservationId: string;
  status: 'HELD' | 'PAYING' | 'CONFIRMED' | 'CANCELLED' | 'EXPIRED' | 'REFUNDED';
  concertId: number;
  scheduleId: number;
  seats: number[];
  amount: number;
  heldAt: string;
  expiresAt: string;
  paidAt: string | null;
  endReason?: 'expired' | 'customer' | 'operator' | 'cancelled' | null;
  paymentStatus?: 'PENDING' | 'CAPTURED' | 'FAILED' | 'REFUND_DUE' | 'REFUNDED';
}
