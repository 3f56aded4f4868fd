// The links to a page's other languages keep the rest of its address, which names what the page shows. Without JavaScript they are
// "?lang=…" alone.
function keepAddress({ target }: Event): void {
  const link = (target as Element).closest?.<HTMLAnchorElement>('.top a[lang]');
  if (!link) return;
  const query = new URLSearchParams(location.search);
  query.set('lang', link.lang);
  link.href = `?${query}${location.hash}`;
}
for (const type of ['pointerover', 'focusin', 'click']) document.addEventListener(type, keepAddress);
