/** Exports for tests of programs that use this package. */
export { startWebhookReceiver, type WebhookReceiver } from '../alerts/testing/alert-receivers.ts';
export * from './key-host.ts';
export * from './loopback.ts';
export * from './open-session.ts';
export * from './send-event.ts';
export * from './server-world.ts';
export * from './start-world.ts';
