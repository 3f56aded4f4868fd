import '../lib/chrome.ts';
import './docs.css';

// A link to an operation expands it.
function open(): void {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target instanceof HTMLDetailsElement) target.open = true;
}
open();
addEventListener('hashchange', open);
