import { mount } from 'svelte';
import '../lib/chrome.ts';
import '../lib/languages.ts';
import Rankings from './Rankings.svelte';

const app = document.getElementById('app') as HTMLElement;
app.replaceChildren();
mount(Rankings, { target: app });
