/** Makes the back end under examination call the platform's API. */
import type { Exchange } from '@dowel/emulator';

/** What a way of calling works with: one page of one user. */
export interface PageContext {
  /** A new init JWT of the page. @param jti its id, for a back end that asks for its own. */
  createInitJwt(jti?: string): Promise<string>;
  /**
   * As the global one, with a connection for each request and no redirects. The requests stand in the trace, and end
   * with the run.
   */
  fetch: typeof fetch;
  initJwt: string;
  /** The origin and path of the manifest, without its file name and without a final slash. */
  base: string;
  instanceId: string;
  pluginId: string;
  tenantId: string;
  userId: string;
  /** Who gets the notification. */
  recipientId: string;
}

/** Asks the back end to send a notification with this message. */
export type SendMessage = (message: string) => Promise<Response>;

/** `prepare` opens the session of a page, if the back end has such. It runs before the event under test. */
export interface CallModule {
  prepare(context: PageContext): Promise<SendMessage>;
}

/** A call that was sent. */
export interface SentCall {
  readonly message: string;
  /** The back end's answer; null: none came. */
  readonly status: number | null;
  /** The start of the answer's body. */
  readonly answer: string;
}

export interface Caller {
  /** Sends one call, and resolves with its answer. Never rejects. */
  call(): Promise<SentCall>;
  /** Sends calls at once. */
  calls(count: number): Promise<SentCall[]>;
  /** The requests of the platform's API that carried a call's message, oldest first. */
  arrivals(call: Pick<SentCall, 'message'>): Exchange[];
  /** Whether the platform accepted it. */
  hasArrived(call: Pick<SentCall, 'message'>): boolean;
  /** Calls until one arrives, for at most so many seconds. @throws Finding `open` if the last answer is 429 */
  heals(seconds: number): Promise<boolean>;
}
