import type { Language } from './text.ts';

const unitsOf: Record<Language, string[]> = {
  en: ['d ', 'h ', 'm ', 's'],
  ko: ['일 ', '시간 ', '분 ', '초'],
  ja: ['日', '時間', '分', '秒'],
  'zh-Hant': [' 天 ', ' 小時 ', ' 分 ', ' 秒'],
};
// A duration in words, as the rankings print it: "5분 0초", "5m 0s", "0.1초".
export function spanOf(ms: number, language: Language): string {
  const units = unitsOf[language] ?? unitsOf.en;
  if (ms < 60_000) {
    const seconds = ms % 1000 === 0 ? String(ms / 1000) : (ms / 1000).toFixed(3).replace(/0+$/, '');
    return seconds + units[3];
  }
  const total = Math.floor(ms / 1000);
  const parts = [Math.floor(total / 86400), Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60, total % 60];
  const first = parts.findIndex((part) => part > 0);
  return parts.map((part, i) => (i >= first ? `${part}${units[i]}` : '')).join('');
}
