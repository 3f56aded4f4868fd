// The frame of every page: stores the chosen theme.
import './base.css';

const root = document.documentElement;
const chosen = localStorage.getItem('maejin:theme');
if (chosen) root.dataset['theme'] = chosen;
document.getElementById('theme')?.addEventListener('click', () => {
  const dark = root.dataset['theme'] ? root.dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset['theme'] = dark ? 'light' : 'dark';
  localStorage.setItem('maejin:theme', root.dataset['theme']);
});
