// The browser's storage. A browser may refuse it, for example to a page in a frame; then values last as long as the page.
type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

function open(find: () => Storage): Kept {
  try {
    const storage = find();
    storage.getItem('maejin');
    return storage;
  } catch {
    const values = new Map<string, string>();
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    };
  }
}
export const kept = open(() => localStorage);
export const session = open(() => sessionStorage);
