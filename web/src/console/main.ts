import { mount } from 'svelte';
import 'uplot/dist/uPlot.min.css';
import '../lib/chrome.ts';
import '../lib/languages.ts';
import './console.css';
import Console from './Console.svelte';

const app = document.getElementById('app') as HTMLElement;
app.replaceChildren();
mount(Console, { target: app });
