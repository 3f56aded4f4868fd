import { mount } from 'svelte';
import '../lib/chrome.ts';
import { followServerClock } from '../lib/time.ts';
import Home from './Home.svelte';

const app = document.getElementById('app') as HTMLElement;
void followServerClock();
app.replaceChildren();
mount(Home, { target: app });
