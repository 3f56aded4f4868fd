// The shapes of the API, generated from openapi.yaml.
import type { components, operations } from '../generated/api.ts';
type Shapes = components['schemas'];

export type ConcertStatus = Shapes['ConcertStatus'];
export type Schedule = Shapes['Schedule'];
export type Concert = Shapes['Concert'];
export type Entry = Shapes['Place'];
export type RoomState = Shapes['RoomState'];
export type Entered = operations['enterRoom']['responses'][200]['content']['application/json'];
export type NewHold = Shapes['NewHold'];
export type Reservation = Shapes['Reservation'];
export type Tickets = Shapes['Tickets'];
export type PaymentOutcome = Shapes['PaymentOutcome'];
