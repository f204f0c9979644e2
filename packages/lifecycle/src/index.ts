/** What each lifecycle event does to an installation. */

export type { EventAnswer } from './event-answer.ts';
export { createLifecycle, type Lifecycle, type LifecycleOptions } from './lifecycle.ts';
