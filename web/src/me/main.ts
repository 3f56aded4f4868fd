import { mount } from 'svelte';
import '../lib/chrome.ts';
import '../lib/ticket.css';
import Me from './Me.svelte';
import './me.css';

const app = document.getElementById('app') as HTMLElement;
app.replaceChildren();
mount(Me, { target: app });
