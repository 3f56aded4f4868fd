// The shapes of the API that only our own pages read.
import type { components } from '../../generated/api.ts';
type Shapes = components['schemas'];

export type { Concert, ConcertStatus, Entry, Reservation, RoomState, Schedule, Tickets } from '../../client/contract.ts';
// Any row of any board; fields that a board does not have are absent.
export type RankingEntry = { rank: number } & Partial<
  Shapes['RankedConcert'] & Shapes['RankedSchedule'] & Shapes['RankedProgress'] & { totalSeats: number; percent: number | null }
>;
export type Ranking = Pick<Shapes['Board'], 'window' | 'key'> & { entries: RankingEntry[] };
