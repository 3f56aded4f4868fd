// A link may hand over a signed user: #user=<token>. A tab without a user takes it. A tab that has another user asks
// first: otherwise a stranger's link could make the visitor buy in the stranger's name.

// The subject of a JWT, or '?' where the text is none. Only for comparison: the server verifies the token.
export function subjectOf(token: string): string {
  try {
    const part = atob(token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/'));
    return JSON.parse(decodeURIComponent(escape(part))).sub ?? '?';
  } catch {
    return '?';
  }
}

// The token in the part of an address after '#', or null. A JWT has no character that a link would encode.
export const handedIn = (hash: string): string | null => /user=([^&]+)/.exec(hash)?.[1] ?? null;

// The token to keep. `ask` gets the name of the link's user. A fresh token of the same user is taken.
export function chosen(kept: string | null, handed: string | null, ask: (name: string) => boolean): string | null {
  if (!handed || !kept || kept === handed) return handed ?? kept;
  const name = subjectOf(handed);
  return (name !== '?' && name === subjectOf(kept)) || ask(name) ? handed : kept;
}
