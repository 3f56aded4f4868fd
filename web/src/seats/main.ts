import { mount } from 'svelte';
import '../lib/chrome.ts';
import { followServerClock } from '../lib/time.ts';
import '../lib/ticket.css';
import './seats.css';
import Booking from './Booking.svelte';

const app = document.getElementById('app') as HTMLElement;
void followServerClock();
app.replaceChildren();
mount(Booking, { target: app });
