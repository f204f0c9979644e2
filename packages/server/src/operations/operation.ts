/**
 * An operation is a function of the back end that the plug-in's page calls by name. Its schemas check input and
 * output, and the page uses its types (`createClient` of `@dowel/adapter/client`).
 */
import type { z } from 'zod';
import type { Log } from '../log/log.ts';
import type { Json, Platform } from '../platform/call-platform.ts';
import type { Notifier } from '../platform/notify.ts';
import type { Caller } from '../sessions/caller.ts';

/** A scope that the manifest requests. The specification has one (Spec §1.5); a platform may have others. */
export type PlatformScope = 'plugin:notify' | (string & Record<never, never>);

/** The statuses that an operation's own codes may have. */
export type ErrorStatus = 400 | 403 | 404 | 409 | 410 | 422 | 429;

/** Without scopes there is no platform, and `notify` needs its own scope. */
export type PlatformOf<Scope extends PlatformScope> = [Scope] extends [never]
  ? undefined
  : Platform & ('plugin:notify' extends Scope ? Notifier : unknown);

/** The context of one call, passed to `run`. */
export interface OperationContext<
  Input,
  Scope extends PlatformScope,
  Code extends string,
  Config = Caller['config'],
> extends Caller<Config> {
  /** The input, as the input schema returns it. */
  input: Input;
  /** The API of the caller's tenant. Reading it in an operation without scopes throws a TypeError. */
  platform: PlatformOf<Scope>;
  /** Adds the operation and the request's id to each line. */
  log: Log;
  /** Aborted when the time is over, with a `TimeoutError`, or when the connection of the page has ended. */
  signal: AbortSignal;
  /** The answer's `X-Request-Id`. */
  requestId: string;
  /**
   * Ends the operation with one of its own codes. The page receives the message. Write `return fail(…)`: TypeScript sees
   * the end of a function only there.
   *
   * @throws always, so nothing after it runs.
   */
  fail: (code: Code, message: string) => never;
}

/** Calls in a minute, counted in each process. */
export interface OperationLimit {
  /** Limit of one session, which is one page of a user. Default: the limit of a user. */
  perSessionPerMinute?: number;
  /** Limit of one user of a tenant. Default 60. */
  perUserPerMinute?: number;
  /** Limit of all users of a tenant. Default 600. */
  perTenantPerMinute?: number;
  /** Limit of all tenants together. Default: none. */
  perProcessPerMinute?: number;
}

export interface OperationOptions<
  In extends z.ZodType<unknown, Json>,
  Out extends z.ZodType<Json>,
  Scope extends PlatformScope,
  Errors extends Record<string, ErrorStatus>,
  Conf extends z.ZodType = z.ZodType<Caller['config']>,
> {
  /** Checks the input, and may transform it. At most 1 MiB of JSON. */
  input: In;
  /** Checks the output, which must be JSON. Members that it does not know are removed. */
  output: Out;
  /** Scopes that the installation must have been granted. Without any there is no `platform`. Default none. */
  scopes?: readonly Scope[];
  /** The operation's own codes, in UPPER_SNAKE, with their statuses. Default none. */
  errors?: Errors;
  /** Reads the widget's settings for this operation, and gives `config` its type. Default: that of `createServer`. */
  config?: Conf;
  /** One sentence for the OpenAPI document. */
  summary?: string;
  /** The time of one call, at most 600,000. The page's adapter gives up after 60,000. Default 20,000. */
  timeoutMs?: number;
  /** Limits of the calls. Default: those of {@link OperationLimit}. */
  limit?: OperationLimit;
  /** Does the work. It may return the output or a promise of it. */
  run(
    context: OperationContext<z.output<In>, Scope, keyof Errors & string, z.output<Conf>>,
  ): Promise<z.input<Out>> | z.input<Out>;
}

/** The options without their types, for the code that runs any operation. */
export interface OperationDefinition {
  input: z.ZodType;
  output: z.ZodType;
  scopes: readonly PlatformScope[];
  errors: Readonly<Record<string, ErrorStatus>>;
  summary: string | undefined;
  config?: z.ZodType | undefined;
  timeoutMs: number;
  limit: OperationLimit;
  run: (context: OperationContext<unknown, PlatformScope, string>) => unknown;
}

/**
 * An operation in a table. `defineOperation` returns this type written out, so that the declarations of a table
 * name nothing of this package, of zod or of Node: the page's program reads them alone.
 */
export interface Operation<Input, Output, Code extends string> {
  /** Exists only in types. `Client` of `@dowel/adapter/client` reads it. */
  readonly '~types'?: { input: Input; output: Output; code: Code };
  /** An OperationDefinition. */
  readonly definition: object;
}

/** Any table of operations. */
export type OperationTable = Readonly<Record<string, Operation<unknown, unknown, string>>>;
