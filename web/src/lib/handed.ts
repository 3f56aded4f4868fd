// A link may hand over a signed user: #user=<token>. A tab without a user takes it. A tab that has another user asks
// first: otherwise a stranger's link could make the visitor buy in the stranger's name.

// The subject of a JWT, or null where the text is none. Only for comparison: the server verifies the token.
export function subjectOf(token: string): string | null {
  try {
    const part = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (c) => c.charCodeAt(0)))) as { sub?: unknown };
    return typeof claims.sub === 'string' ? claims.sub : null;
  } catch {
    return null;
  }
}

// The token in the part of an address after '#', or null.
export function handedIn(hash: string): string | null {
  const text = /[#&]user=([^&]+)/.exec(hash)?.[1];
  if (!text) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// The token to keep. `ask` gets the names of both users.
export function chosen(kept: string | null, handed: string | null, ask: (kept: string, handed: string) => boolean): string | null {
  if (!handed || !kept || kept === handed) return handed ?? kept;
  const [old, fresh] = [subjectOf(kept), subjectOf(handed)];
  // A fresh token of the same user.
  if (old !== null && old === fresh) return handed;
  return ask(old ?? '?', fresh ?? '?') ? handed : kept;
}
