// Every sentence of the pages, in both languages. Korean must have exactly the keys of English: the compiler checks it.
import { en } from './en.ts';

type Widen<T> = { [K in keyof T]: T[K] extends string ? string : Widen<T[K]> };
export type Dictionary = Widen<typeof en>;
export type Section = keyof Dictionary;
