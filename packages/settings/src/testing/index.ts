/** For tests of this package and of others. */
export * from './collect-unhandled.ts';
export * from './unused-port.ts';
