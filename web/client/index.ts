// The browser client of maejin: join, follow, enter, hold, pay.
//   import { Client } from 'https://tickets.example/client/maejin.js';
//   const line = new Client({ base: 'https://tickets.example' }).line('main', (state) => …);
//   line.follow(); await line.join();
export { Client, type Payment } from './client.ts';
export type { FanOptions } from './fan.ts';
export type * from './contract.ts';
export { nextPoll, unanswered, type Answer, type Problem } from './http.ts';
export { Line, type LineState } from './line.ts';
export { sharedStream, type Heard } from './stream.ts';
