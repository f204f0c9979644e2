import { assertMilliseconds } from '@dowel/schema';
import type { z } from 'zod';
import { builtInCodes } from '../base/errors.ts';
import { assertNames, assertObject, assertText, assertTexts } from '../base/option-shapes.ts';
import type { Json } from '../platform/call-platform.ts';
import type { Caller } from '../sessions/caller.ts';
import type {
  ErrorStatus,
  OperationContext,
  OperationDefinition,
  OperationLimit,
  OperationOptions,
  PlatformScope,
} from './operation.ts';

const defaultTimeoutMs = 20_000;
/** Browsers, proxies and Node time out long before, and the adapter after 60,000. Other callers may wait longer. */
const longestTimeoutMs = 600_000;

/**
 * Defines one operation. Its name is its key in the table that `createServer` gets. What `run` throws is
 * answered as INTERNAL_ERROR and logged, except for `fail` and a PlatformError. Each option and its default:
 * {@link OperationOptions}.
 *
 * @example
 * const vote = defineOperation({
 *   input: z.object({ choice: z.string() }),
 *   output: z.object({ votes: z.int() }),
 *   errors: { POLL_CLOSED: 409 },
 *   run: ({ input, user, fail }) =>
 *     poll.isOpen ? poll.vote(user.id, input.choice) : fail('POLL_CLOSED', 'The poll is closed'),
 * });
 *
 * @throws TypeError for an option that is not known, for what is no schema, for a code that is not UPPER_SNAKE or is one of
 *   ours, for its status, and for a time that is not one
 */
export function defineOperation<
  In extends z.ZodType<unknown, Json>,
  Out extends z.ZodType<Json>,
  const Scope extends PlatformScope = never,
  const Errors extends Record<string, ErrorStatus> = Record<never, ErrorStatus>,
  Conf extends z.ZodType = z.ZodType<Caller['config']>,
>(
  options: OperationOptions<In, Out, Scope, Errors, Conf>,
): {
  readonly '~types'?: { input: z.input<In>; output: z.output<Out>; code: keyof Errors & string };
  readonly definition: object;
} {
  assertNames('', options, optionNames, 'defineOperation');
  const { input, output, scopes = [], errors = {}, summary, limit = {}, config } = options;
  assertSchema('input', input);
  assertSchema('output', output);
  if (config !== undefined) assertSchema('config', config);
  assertTexts('scopes', scopes);
  assertText('summary', summary);
  assertNames('limit.', limit, limitNames, 'defineOperation');
  const { timeoutMs = defaultTimeoutMs } = options;
  assertMilliseconds(timeoutMs, 'timeoutMs');
  if (timeoutMs < 1 || timeoutMs > longestTimeoutMs) {
    throw new TypeError(`timeoutMs must be 1 to ${longestTimeoutMs}, not ${timeoutMs}`);
  }
  assertOwnCodes(errors);
  if (typeof options.run !== 'function') throw new TypeError('run must be a function');
  const run = (context: OperationContext<unknown, PlatformScope, string>) =>
    options.run(context as never);
  const definition: OperationDefinition = {
    input,
    output,
    scopes,
    errors,
    summary,
    config,
    timeoutMs,
    limit,
    run,
  };
  return { definition };
}

const optionNames: {
  [Name in keyof Required<OperationOptions<never, never, never, never>>]: true;
} = {
  input: true,
  output: true,
  scopes: true,
  errors: true,
  config: true,
  summary: true,
  timeoutMs: true,
  limit: true,
  run: true,
};
const limitNames: { [Name in keyof Required<OperationLimit>]: true } = {
  perSessionPerMinute: true,
  perUserPerMinute: true,
  perTenantPerMinute: true,
  perProcessPerMinute: true,
};

function assertSchema(name: string, schema: unknown): void {
  const isSchema = typeof schema === 'object' && schema !== null && '_zod' in schema;
  if (!isSchema) throw new TypeError(`${name} must be a schema of zod 4, such as z.object({})`);
}

const errorStatuses: readonly ErrorStatus[] = [400, 403, 404, 409, 410, 422, 429];

function assertOwnCodes(errors: unknown): void {
  assertObject('errors', errors);
  for (const [code, status] of Object.entries(errors)) assertOwnCode(code, status);
}

function assertOwnCode(code: string, status: unknown): void {
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(code)) {
    throw new TypeError(`The code ${JSON.stringify(code)} is not in UPPER_SNAKE`);
  }
  if (builtInCodes.has(code)) {
    throw new TypeError(`The code ${code} is one of the built-in ones: choose another`);
  }
  if (!errorStatuses.includes(status as ErrorStatus)) {
    throw new TypeError(`The status of ${code} must be one of ${errorStatuses.join(', ')}`);
  }
}
