/** What each lifecycle event does to an installation. */

export type { InstallAttempt } from './admit-life.ts';
export { endInstallation } from './apply-event.ts';
export type { DeliveryFacts } from './delivery.ts';
export { type EventAnswer, retryLater } from './event-answer.ts';
export {
  createLifecycle,
  defaultExchangesPerMinute,
  type Lifecycle,
  type LifecycleOptions,
} from './lifecycle.ts';
export { adviseApiOrigin, resolveAddresses } from './resolve-addresses.ts';
