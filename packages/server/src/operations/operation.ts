/**
 * What an operation is: a function of the back end that the plug-in's page calls by name. Its schemas check what
 * comes in and what goes out, and its types reach the page (`createClient` of `@dowel/adapter/client`).
 */
import type { z } from 'zod';
import type { Log } from '../log/log.ts';
import type { Json, Platform } from '../platform/call-platform.ts';
import type { Notifier } from '../platform/notify.ts';
import type { Caller } from '../sessions/caller.ts';

/** What a plug-in may request in its manifest (Spec §1.5). */
export type PlatformScope = 'plugin:notify';

/** The statuses that an operation's own codes may have. */
export type ErrorStatus = 400 | 403 | 404 | 409 | 410 | 422 | 429;

/** Without scopes there is no platform, and `notify` needs its own scope. */
export type PlatformOf<Scope extends PlatformScope> = [Scope] extends [never]
  ? undefined
  : Platform & ('plugin:notify' extends Scope ? Notifier : unknown);

/** What an operation gets when it is called. */
export interface OperationContext<Input, Scope extends PlatformScope, Code extends string>
  extends Caller {
  /** As the input schema returns it. */
  input: Input;
  /** The API of the caller's tenant. */
  platform: PlatformOf<Scope>;
  /** Each line has the operation and the request's id. */
  log: Log;
  /** Aborts when the time is over, or when the page has gone. */
  signal: AbortSignal;
  /** The answer's `X-Request-Id`. */
  requestId: string;
  /** Ends the operation with one of its own codes. The page receives the message. */
  fail: (code: Code, message: string) => never;
}

/** Calls in a minute, counted in each process. */
export interface OperationLimit {
  /** Of one session, which is one page of a user. Default: as many as of a user. */
  perSessionPerMinute?: number;
  /** Of one user of a tenant. Default 60. */
  perUserPerMinute?: number;
  /** Of all users of a tenant. Default 600. */
  perTenantPerMinute?: number;
  /** Of all tenants together. Default: no limit. */
  perProcessPerMinute?: number;
}

export interface OperationOptions<
  In extends z.ZodType<unknown, Json>,
  Out extends z.ZodType<Json>,
  Scope extends PlatformScope,
  Errors extends Record<string, ErrorStatus>,
> {
  /** Checks the input, and may transform it. At most 1 MiB of JSON. */
  input: In;
  /** Checks the output, which must be JSON. Only what it knows is sent. */
  output: Out;
  /** What the installation must have been granted. Without it there is no `platform`. Default none. */
  scopes?: readonly Scope[];
  /** The operation's own codes, in UPPER_SNAKE, with their statuses. Default none. */
  errors?: Errors;
  /** One sentence for the OpenAPI document. */
  summary?: string;
  /** Default 20,000. */
  timeoutMs?: number;
  limit?: OperationLimit;
  run(
    context: OperationContext<z.output<In>, Scope, keyof Errors & string>,
  ): Promise<z.input<Out>> | z.input<Out>;
}

/** The options without their types, for the code that runs any operation. */
export interface OperationDefinition {
  input: z.ZodType;
  output: z.ZodType;
  scopes: readonly PlatformScope[];
  errors: Readonly<Record<string, ErrorStatus>>;
  summary: string | undefined;
  timeoutMs: number;
  limit: OperationLimit;
  run: (context: OperationContext<unknown, PlatformScope, string>) => unknown;
}

/**
 * An operation in a table. `defineOperation` returns this type written out, so that the declarations of a table
 * name nothing of this package, of zod or of Node: the page's program reads them alone.
 */
export interface Operation<Input, Output, Code extends string> {
  /** For types only: no object has it. `Client` of `@dowel/adapter/client` reads it. */
  readonly '~types'?: { input: Input; output: Output; code: Code };
  /** An OperationDefinition. */
  readonly definition: object;
}

/** Any table of operations. */
export type OperationTable = Readonly<Record<string, Operation<unknown, unknown, string>>>;
