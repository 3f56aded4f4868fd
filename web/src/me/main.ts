import { mount } from 'svelte';
import '../lib/chrome.ts';
import '../lib/languages.ts';
import '../lib/ticket.css';
import { followServerClock } from '../lib/time.ts';
import Me from './Me.svelte';
import './me.css';

const app = document.getElementById('app') as HTMLElement;
void followServerClock();
app.replaceChildren();
mount(Me, { target: app });
