import { describe, expect, it, vi } from 'vitest';
import { chosen, handedIn, subjectOf } from '../src/lib/handed.ts';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (sub: string, exp = 1) => `${part({ alg: 'HS256' })}.${part({ sub, exp })}.signature`;

describe('a user handed over by a link', () => {
  it('is read from the part after #', () => {
    expect(handedIn('#x=1&user=abc')).toBe('abc');
    expect(handedIn('#top')).toBe(null);
    expect(handedIn(`#user=${token('ann')}`)).toBe(token('ann'));
  });

  it('is taken without a question by a tab that has no user', () => {
    const ask = vi.fn();
    expect(chosen(null, token('ann'), ask)).toBe(token('ann'));
    expect(ask).not.toHaveBeenCalled();
  });

  it('replaces another user only after the visitor agreed', () => {
    const names: string[] = [];
    const ask = (agrees: boolean) => (name: string) => names.push(name) > 0 && agrees;
    expect(chosen(token('ann'), token('민지'), ask(false))).toBe(token('ann'));
    expect(chosen(token('ann'), token('민지'), ask(true))).toBe(token('민지'));
    expect(names).toEqual(['민지', '민지']);
  });

  it('is a fresh token of the same user and taken without a question', () => {
    const ask = vi.fn();
    expect(chosen(token('ann', 1), token('ann', 2), ask)).toBe(token('ann', 2));
    expect(ask).not.toHaveBeenCalled();
  });

  it('asks where a text is no token, and keeps the user without a link', () => {
    const ask = vi.fn(() => false);
    expect(chosen('text', 'another', ask)).toBe('text');
    expect(ask).toHaveBeenCalledWith('?');
    expect(chosen(token('ann'), null, ask)).toBe(token('ann'));
    expect(subjectOf('a.b.c')).toBe('?');
  });
});
