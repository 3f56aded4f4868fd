// The shapes of the API that the pages read, as openapi.yaml describes them.
import type { components } from '../../generated/api.ts';
type Shapes = components['schemas'];

export type ConcertStatus = Shapes['ConcertStatus'];
export type Schedule = Shapes['Schedule'];
export type Concert = Shapes['Concert'];
export type Entry = Shapes['Place'];
// Any row of any board; fields that a board does not have are absent.
export type RankingEntry = { rank: number } & Partial<
  Shapes['RankedConcert'] & Shapes['RankedSchedule'] & Shapes['RankedProgress']
>;
export type Ranking = Pick<Shapes['Board'], 'window' | 'key'> & { entries: RankingEntry[] };
