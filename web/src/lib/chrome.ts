// The frame of every page: stores the chosen theme.
import './base.css';
import { kept } from '../../client/storage.ts';

const root = document.documentElement;
const chosen = kept.getItem('maejin:theme');
if (chosen) root.dataset['theme'] = chosen;
document.getElementById('theme')?.addEventListener('click', () => {
  const dark = root.dataset['theme'] ? root.dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset['theme'] = dark ? 'light' : 'dark';
  kept.setItem('maejin:theme', root.dataset['theme']);
});
