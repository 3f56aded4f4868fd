// The shapes of DESIGN's API that the pages read.
export type ConcertStatus = 'SCHEDULED' | 'OPEN' | 'SOLD_OUT' | 'CLOSED' | 'CANCELLED';
export interface Schedule {
  id: number;
  concertDate: string;
  startsAt?: string | null;
  totalSeats: number;
  availableSeats?: number;
  status?: string;
}
export interface Concert {
  id: number;
  title: string;
  artist: string;
  venue: string;
  price: number;
  status: ConcertStatus;
  totalSeats: number;
  availableSeats: number;
  bookingOpenAt: string | null;
  soldOutAt: string | null;
  room?: string;
  // Absent in the list.
  ranking?: { daily: number; weekly: number; monthly: number; all: number } | null;
  schedules?: Schedule[];
}
export interface Entry {
  token: string;
  status: 'waiting' | 'ready' | 'entered';
  // Absent in the pre-queue: there is no order yet.
  rank: number | null;
  aheadCount: number | null;
  position: number | null;
  number: number;
  pollAfterMs: number;
  eta: { p50Seconds: number; p90Seconds: number } | null;
  outlook: 'good' | 'unlikely' | 'sold-out' | null;
  notice: string | null;
  state: 'scheduled' | 'pre-queue' | 'open' | 'paused' | 'closed';
  expiresIn?: number;
}
export interface RankingEntry {
  rank: number;
  concertId?: number;
  scheduleId?: number;
  title?: string;
  artist?: string;
  venue?: string;
  concertDate?: string;
  bookingOpenAt?: string;
  soldOutAt?: string;
  durationMillis?: number;
  duration?: string;
  reserved?: number;
}
export interface Ranking {
  window?: string;
  key?: string;
  entries: RankingEntry[];
}
