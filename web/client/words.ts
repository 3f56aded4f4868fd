// The sentences of <maejin-line>, chosen from the pages' own by web/build.ts.
export const lineWordKeys = [
  'ahead', 'eta', 'etaUnknown', 'minute', 'drawn', 'turn', 'turnLeft', 'enter', 'entered', 'missed', 'left', 'join', 'leave', 'reconnecting', 'paused', 'closed', 'cancelled', 'soldOut',
] as const;
export type LineWords = Record<(typeof lineWordKeys)[number], string>;

declare const __LINE_WORDS__: Record<'en' | 'ko' | 'ja' | 'zh-Hant', LineWords>;
export const lineWords = typeof __LINE_WORDS__ === 'undefined' ? ({} as never) : __LINE_WORDS__;
