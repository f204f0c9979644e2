/** Back ends for the tests of other packages. */
export { type PlainBackEnd, startPlainBackEnd } from './plain-back-end.ts';
export { startBackEnd } from './start-back-end.ts';
