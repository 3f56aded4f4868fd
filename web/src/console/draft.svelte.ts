// A form over values that the server also changes. What the operator typed stays until it is saved or undone, whatever else is
// pressed or read; fields that were not touched follow the server.
export class Draft<T extends Record<string, string | number | boolean | null>> {
  value = $state() as T;
  #base = $state.raw() as T;

  constructor(start: T) {
    this.value = { ...start };
    this.#base = start;
  }
  // The server's present values.
  follow(fresh: T): void {
    for (const key of Object.keys(fresh) as (keyof T)[]) {
      if (this.value[key] === this.#base[key]) this.value[key] = fresh[key];
    }
    this.#base = fresh;
  }
  // The fields that differ from the server's.
  get changes(): Partial<T> {
    const keys = Object.keys(this.#base) as (keyof T)[];
    return Object.fromEntries(keys.filter((key) => this.value[key] !== this.#base[key]).map((key) => [key, this.value[key]])) as Partial<T>;
  }
  touched(...keys: (keyof T)[]): boolean {
    return keys.some((key) => key in this.changes);
  }
  undo(): void {
    this.value = { ...this.#base };
  }
}
