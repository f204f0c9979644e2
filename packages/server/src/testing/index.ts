/** For tests of programs on this package. */
export * from './key-host.ts';
export * from './loopback.ts';
export * from './send-event.ts';
export * from './server-world.ts';
export * from './start-world.ts';
