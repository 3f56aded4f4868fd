// Every sentence of the pages. The other languages must have exactly the keys of English: the compiler checks it.
// Fans' pages are in four languages; the console and the API's documentation in English and Korean.
import { en } from './en.ts';

type Widen<T> = { [K in keyof T]: T[K] extends string ? string : Widen<T[K]> };
export type Dictionary = Widen<typeof en>;
export type FanDictionary = Omit<Dictionary, 'docs' | 'console'>;
export type Section = keyof Dictionary;
