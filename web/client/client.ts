// All calls of a fan: the line of a room, holds and payments.
import type { NewHold, PaymentOutcome, Reservation, Tickets } from './contract.ts';
import { Fan } from './fan.ts';
import { newKey, rest, unanswered, type Answer, type Problem } from './http.ts';
import { nextLook, settlementOf } from './settlement.ts';

// What became of a payment. `refused`: see `problem`; `unknown`: no answer came, paying again is safe; `pending`: the provider
// answers later.
export interface Payment {
  outcome: 'paid' | 'declined' | 'refunded' | 'over' | 'refused' | 'pending' | 'unknown';
  reservation?: Reservation;
  problem?: Problem;
  soldOut: boolean;
}

export class Client extends Fan {
  // `room`: the room whose token the hold needs; undefined where the concert has none.
  hold(wish: Omit<NewHold, 'userId'>, room?: string): Promise<Answer<Reservation> | null> {
    const headers = { 'Idempotency-Key': newKey() };
    return this.call('/api/v1/reservations', { method: 'POST', body: { ...wish, ...this.who() }, headers, ...(room !== undefined && { room }) });
  }
  reservation(id: string): Promise<Answer<Reservation> | null> {
    return this.call(`/api/v1/reservations/${id}`);
  }
  tickets(id: string): Promise<Answer<Tickets> | null> {
    return this.call(`/api/v1/reservations/${id}/tickets`);
  }
  cancel(id: string): Promise<Answer<Reservation> | null> {
    return this.call(`/api/v1/reservations/${id}`, { method: 'DELETE' });
  }
  extend(id: string): Promise<Answer<Reservation> | null> {
    return this.call(`/api/v1/reservations/${id}/extension`, { method: 'POST', body: {} });
  }

  // Pays a hold. `key`: of this attempt; the same key pays once. `onlost`: a try had no answer, and another follows.
  async pay({ reservationId, amount }: Pick<Reservation, 'reservationId' | 'amount'>, method: string, key: string, onlost: () => void = () => {}): Promise<Payment> {
    const post = () =>
      this.call<PaymentOutcome>(`/api/v1/reservations/${reservationId}/payment`, {
        method: 'POST',
        body: { amount, method },
        headers: { 'Idempotency-Key': key },
      });
    let answer = await post();
    for (let tries = 0; unanswered(answer) && tries < 15; tries++) {
      onlost();
      await rest(Math.max(2000, answer?.retryAfterMs ?? 0));
      answer = await post();
    }
    if (unanswered(answer)) return { outcome: 'unknown', soldOut: false };
    if (answer?.problem) return { outcome: 'refused', problem: answer.problem, soldOut: false };
    return this.settled(reservationId, answer?.data?.concertSoldOut ?? false);
  }
  // Waits for the result of a payment that the provider answers later.
  async settled(id: string, soldOut = false): Promise<Payment> {
    for (let tries = 0, wait = nextLook(0); wait !== null; wait = nextLook(++tries)) {
      const reservation = (await this.reservation(id))?.data;
      const outcome = reservation ? settlementOf(reservation) : 'waiting';
      if (reservation && outcome !== 'waiting') return { outcome, reservation, soldOut };
      await rest(wait);
    }
    return { outcome: 'pending', soldOut };
  }
}
