// Shows the page in a concert's colour, until the returned function is called.
export function wear(color: string): () => void {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `/assets/look-${color.slice(1)}.css` });
  document.head.append(link);
  return () => link.remove();
}
