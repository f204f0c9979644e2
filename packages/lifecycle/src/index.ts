/** What each lifecycle event does to an installation. */

export { type EventAnswer, type RefusalReason, refusalReasons } from './event-answer.ts';
export { createLifecycle, type Lifecycle, type LifecycleOptions } from './lifecycle.ts';
