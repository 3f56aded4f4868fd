import { describe, expect, it } from 'vitest';
import { nextLook, settlementOf } from '../client/settlement.ts';

describe('a payment in flight', () => {
  it('is waited for, also after the deadline', () => {
    expect(settlementOf({ status: 'PAYING', paymentStatus: 'PENDING' })).toBe('waiting');
    expect(settlementOf({ status: 'EXPIRED', paymentStatus: 'PENDING' })).toBe('waiting');
  });
  it('ends with the seats, with a decline, or with a refund', () => {
    expect(settlementOf({ status: 'CONFIRMED', paymentStatus: 'CAPTURED' })).toBe('paid');
    expect(settlementOf({ status: 'HELD', paymentStatus: 'FAILED' })).toBe('declined');
    expect(settlementOf({ status: 'EXPIRED', paymentStatus: 'REFUND_DUE' })).toBe('refunded');
    expect(settlementOf({ status: 'EXPIRED', paymentStatus: 'REFUNDED' })).toBe('refunded');
    expect(settlementOf({ status: 'EXPIRED', paymentStatus: 'FAILED' })).toBe('over');
  });
  it('is polled with growing intervals and an end', () => {
    expect(nextLook(0)).toBe(500);
    expect(nextLook(100)).toBe(3000);
    expect(nextLook(200)).toBeNull();
  });
});
