import { Client } from '../../client/client.ts';
import { userToken } from '../lib/fan.ts';

export const client = new Client({ userToken });
