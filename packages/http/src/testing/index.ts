/** For tests of this package and of others. */
export * from './held-timer.ts';
export * from './http-host.ts';
