/** Finds the plug-in and the event whose address was called. Log, routes and the form of errors use it. */
import type { LifecycleEventName } from '@dowel/schema';
import type { Context, Next } from 'koa';
import type { EventPaths } from '../events/event-addresses.ts';

export interface EventReceiver {
  /** The path below which the plug-in's own pages and calls are: '' or `/polls`. */
  prefix: string;
  eventPaths: EventPaths;
}

/** The event of a plug-in whose address was called, with any method. */
export interface CalledEvent<Receiver extends EventReceiver> {
  name: LifecycleEventName;
  receiver: Receiver;
}

interface State {
  called?: CalledEvent<EventReceiver>;
  isFromPlatform?: boolean;
}

/** Must be the first middleware: log and errors depend on it. */
export function markEvents(receivers: readonly EventReceiver[]) {
  const ownPages = receivers.flatMap(({ prefix }) => [`${prefix}/api/`, `${prefix}/plugin/`]);
  // A manifest may put its events beside our own pages.
  const isOwnPage = (path: string) =>
    ['/admin/', ...ownPages].some((folder) => path.startsWith(folder));
  return (ctx: Context, next: Next): Promise<void> => {
    const state = ctx.state as State;
    for (const receiver of receivers) {
      const name = receiver.eventPaths.find(ctx.path);
      if (name !== undefined) state.called ??= { name, receiver };
    }
    const isNear = receivers.some(({ eventPaths }) => eventPaths.isNear(ctx.path));
    state.isFromPlatform = isNear && !isOwnPage(ctx.path);
    return next();
  };
}

/** @returns undefined when the path is no event's address. */
export function calledEventOf<Receiver extends EventReceiver>({
  state,
}: Context): CalledEvent<Receiver> | undefined {
  return (state as State).called as CalledEvent<Receiver> | undefined;
}

export function eventOf(ctx: Context): LifecycleEventName | undefined {
  return calledEventOf(ctx)?.name;
}

/** Whether the answer goes to the platform: `{code: number, message}`. */
export function isFromPlatform(ctx: Context): boolean {
  return (ctx.state as State).isFromPlatform === true || eventOf(ctx) !== undefined;
}
