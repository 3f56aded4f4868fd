import { describe, expect, it } from 'vitest';
import { fill } from '../src/lib/text.ts';
import { countdown, offsetOf } from '../src/lib/time.ts';
import { spanOf } from '../src/lib/span.ts';
import { en } from '../src/text/en.ts';
import { ja } from '../src/text/ja.ts';
import { ko } from '../src/text/ko.ts';
import { zhHant } from '../src/text/zh-Hant.ts';
import { address, movements, possible, readChoice, step, weekOf, windowsOf, writeChoice } from '../src/rankings/period.ts';

describe('all languages', () => {
  type Texts = Record<string, Record<string, string>>;
  const holes = (sentence: string) => [...sentence.matchAll(/\{\w+\}/g)].map(String).sort();
  const { docs: _docs, console: _console, ...forFans } = en;
  const others: [string, Texts, Texts][] = [['ko', ko, en], ['ja', ja, forFans], ['zh-Hant', zhHant, forFans]];
  for (const [language, texts, english] of others) {
    it(`have the same texts with the same placeholders: ${language}`, () => {
      expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
      for (const [section, words] of Object.entries(english)) {
        expect([section, Object.keys(texts[section] ?? {}).sort()]).toEqual([section, Object.keys(words).sort()]);
        for (const key of Object.keys(words)) {
          const text = texts[section]?.[key] ?? '';
          expect([section, key, text !== '', holes(text)]).toEqual([section, key, true, holes(words[key] ?? '')]);
        }
      }
    });
  }
  // Words that are the same everywhere: the program's name, and the API.
  const same = new Set(['common.title', 'common.docs']);
  it('have no sentence left in English', () => {
    for (const [language, texts] of [['ja', ja], ['zh-Hant', zhHant]] as [string, Texts][]) {
      const left = Object.entries(forFans as Texts).flatMap(([section, words]) => Object.keys(words).filter((key) => texts[section]?.[key] === words[key]).map((key) => `${section}.${key}`));
      expect([language, left.filter((key) => !same.has(key))]).toEqual([language, []]);
    }
  });
  it('use the characters of their own writing', () => {
    expect(JSON.stringify(zhHant)).not.toMatch(/[\u3040-\u30ff\uac00-\ud7a3]|[这们还没时间为为车门问请页单钟]/);
    expect(JSON.stringify(ja)).not.toMatch(/[\uac00-\ud7a3]/);
  });
  it('fill their placeholders', () => expect(fill('{n} of {total}, {x}', { n: 1, total: 2 })).toBe('1 of 2, {x}'));
  it('have singular and plural', () => {
    const ahead = (n: string) => fill(en.event.barText, { n });
    expect([ahead('1'), ahead('0'), ahead('21')]).toEqual(['1 person ahead of you', '0 people ahead of you', '21 people ahead of you']);
    expect(fill(ko.event.barText, { n: 1 })).toBe('내 앞에 1명');
  });
  it('do not call a place in line a seat (자리) in Korean', () => expect(JSON.stringify(ko)).not.toMatch(/자리|줄 서|줄에서|줄은|줄을/));
  it('use the words of Korean ticket sites', () => {
    const { event, seats, console } = ko;
    expect([event.join, event.opensIn, event.leave, event.etaUnknown, event.missing]).toEqual(['예매하기', '티켓 오픈까지', '대기 취소', '계산 중', '공연을 찾을 수 없습니다']);
    expect([seats.heldFor, seats.giveBack, seats.sessionLeft, seats.bestHold, seats.holdNone]).toEqual(['남은 결제 시간', '좌석 선택 취소', '좌석 선택 가능 시간 {time}', '자동 배정', '좌석을 선택해 주세요']);
    expect(seats.notInsideHint).toContain('접속자가 많아 순서대로 입장하고 있습니다');
    expect([console.pause, console.resume, console.signIn, console.signOut, console['c-p99']]).toEqual(['입장 중단', '입장 재개', '로그인', '로그아웃', '응답 시간 p99']);
    expect(JSON.stringify(ko)).not.toMatch(/예매 시작까지|몇 분씩|선점 남은|좌석 반납|남은 입장 시간|자동 선택|선점하기|아직 알 수 없음|없는 공연입니다|멈춤|들어가기|상위 1%/);
  });
  it('use contractions and the trade’s words in English', () => {
    expect([en.seats.heldFor, en.seats.giveBack, en.seats.taken]).toEqual(['Time left to pay', 'Release seats', 'That seat was just taken.']);
    expect([en.console.noShows, en.console.predicted]).toEqual(['No-shows', 'Line clears in']);
    const { docs: _api, ...spoken } = en;
    const stiff = Object.values(spoken).flatMap((words) => Object.values(words)).filter((text) => /\b((do|does|did|is|are|was|were|will|could|would) not|cannot)\b/i.test(text));
    expect(stiff).toEqual([en.seats.testPayment]);
  });
});

describe('durations', () => {
  it('equal the rankings\' format', () => {
    expect(spanOf(300_000, 'ko')).toBe('5분 0초');
    expect(spanOf(300_000, 'en')).toBe('5m 0s');
    expect(spanOf(100, 'ko')).toBe('0.1초');
    expect(spanOf(90_061_000, 'en')).toBe('1d 1h 1m 1s');
    expect(spanOf(0, 'en')).toBe('0s');
    expect(spanOf(93_665_000, 'ja')).toBe('1日2時間1分5秒');
    expect(spanOf(93_665_000, 'zh-Hant')).toBe('1 天 2 小時 1 分 5 秒');
  });
  it('count down to zero', () => {
    expect(countdown(187_000)).toBe('03:07');
    expect(countdown(3_787_000)).toBe('1:03:07');
    expect(countdown(-5)).toBe('00:00');
    expect(countdown(1)).toBe('00:01');
  });
});

it('clock uses the sample with the shortest round trip', () => {
  expect(offsetOf([{ sent: 0, received: 1000, server: 9000 }, { sent: 2000, received: 2020, server: 7010 }])).toBe(5000);
});

describe('a link to a ranking', () => {
  it('survives a round trip', () => {
    const choice = readChoice('?board=schedules&window=weekly&at=2026-11-15');
    expect(readChoice(writeChoice(choice))).toEqual(choice);
    expect(address(choice, 10)).toBe('/api/v1/rankings/soldout/schedules?window=weekly&at=2026-11-15&topN=10');
  });
  it('falls back to today if it is invalid', () => {
    expect(readChoice('?board=x&window=y&at=2026-1')).toEqual({ board: 'concerts', window: 'daily', at: '' });
    expect(readChoice('?at=9999-99-99').at).toBe('');
  });
  it('names a window that its board has', () => {
    expect(windowsOf('concerts')).toContain('all');
    expect(windowsOf('schedules')).not.toContain('all');
    expect(readChoice('?board=schedules&window=all').window).toBe('monthly');
    expect(possible({ board: 'concerts', window: 'all', at: '' }).window).toBe('all');
  });
  it('names weeks by the month of their Thursday', () => {
    expect(weekOf('2026-11-22')).toEqual({ month: '2026-11', nth: 3, first: '2026-11-16', last: '2026-11-22' });
    expect(weekOf('2026-10-31')).toMatchObject({ month: '2026-10', nth: 5, first: '2026-10-26' });
    expect(weekOf('2026-11-01')).toMatchObject({ month: '2026-10', nth: 5 });
  });
  it('to the all-time top asks for at most 100', () =>
    expect(address({ board: 'top', window: 'daily', at: '' }, 500)).toBe('/api/v1/rankings/soldout/top?topN=100'));
  it('steps by its own window', () => {
    expect(step('2026-03-01', 'daily', -1)).toBe('2026-02-28');
    expect(step('2026-11-15', 'weekly', 1)).toBe('2026-11-22');
    expect(step('2026-03-31', 'monthly', -1)).toBe('2026-02-28');
  });
});

it('movement is relative to the last reading, and absent on the first', () => {
  expect(movements(null, ['a']).size).toBe(0);
  expect([...movements(['a', 'b'], ['b', 'a', 'c'])]).toEqual([['b', 1], ['a', -1], ['c', 'new']]);
});
