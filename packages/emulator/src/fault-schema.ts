/**
 * The faults of a platform by name, with their options: what one does, and what a good back end does then. The library,
 * the control API and its pages share this list.
 */
import { lifecycleEventNames } from '@dowel/schema';
import { z } from 'zod';

/** Whose requests meet a fault. Default: everybody's. */
const owner = { tenantId: z.string().optional(), pluginId: z.string().optional() };

const frequency = {
  /** How many requests meet it. */
  times: z.union([z.number().int().positive(), z.literal('always')]).default(1),
  /** How many pass before the first one meets it. */
  skip: z.number().int().nonnegative().default(0),
};

const milliseconds = (ms: number) => z.number().int().nonnegative().max(600_000).default(ms);
const serverError = z.number().int().min(500).max(599).default(503);
/** In seconds. */
const retryAfter = z.number().int().nonnegative().optional();
const members = z.record(z.string(), z.unknown()).default({});
/** Paths with dots, such as `client.trigger_event`. */
const memberNames = z.array(z.string().min(1)).default([]);

interface Words {
  /** In one sentence. */
  does: string;
  /** What a good back end does, in one sentence. */
  good: string;
}

type NoOptions = Record<never, never>;

interface Row<Name extends string, Own extends z.ZodRawShape> extends Words {
  name: Name;
  options?: Own;
}

function fault<Name extends string, Own extends z.ZodRawShape = NoOptions>(row: Row<Name, Own>) {
  return define({ ...owner, ...frequency }, row);
}

/** A key document belongs to no tenant. */
function keyFault<Name extends string, Own extends z.ZodRawShape = NoOptions>(row: Row<Name, Own>) {
  return define(frequency, row);
}

function define<Common extends z.ZodRawShape, Name extends string, Own extends z.ZodRawShape>(
  common: Common,
  { name, options = {} as Own, does: description, good }: Row<Name, Own>,
) {
  return z
    .strictObject({ name: z.literal(name), ...common, ...options })
    .meta({ description, good });
}

const on = z.enum(['code', 'refresh']).optional();
const event = z.enum(lifecycleEventNames).optional();

/** `POST /control/faults`: the options of each name. `name` decides which ones there are. */
export const faultSchema = z.discriminatedUnion('name', [
  fault({
    name: 'token.lostAnswer',
    options: { on },
    does: 'The code or refresh token is spent, and the connection ends without an answer.',
    good: 'Refuses the event after a code; after a refresh asks for a new event once, and needs nobody’s help.',
  }),
  fault({
    name: 'token.hang',
    options: { on },
    does: 'Nothing is spent, and no answer ever comes.',
    good: 'Gives up in time to answer the event within 30 s, keeps its tokens and tries later.',
  }),
  fault({
    name: 'token.slow',
    options: { on, ms: milliseconds(25_000) },
    does: 'The answer comes `ms` later.',
    good: 'Waits, and answers the event only after the tokens are stored.',
  }),
  fault({
    name: 'token.unavailable',
    options: { on, status: serverError, retryAfter },
    does: 'Nothing is spent, and the answer is `status`.',
    good: 'Refuses the event after a code; after a refresh keeps its tokens and tries later.',
  }),
  fault({
    name: 'token.limited',
    options: { on, retryAfter: z.number().int().nonnegative().default(1) },
    does: 'Nothing is spent, and the answer is 429.',
    good: 'Keeps its tokens and waits for the time that `Retry-After` names.',
  }),
  fault({
    name: 'token.refused',
    options: { on, error: z.string().default('invalid_grant') },
    does: 'Nothing is spent, and the answer is 400 with `error`.',
    good: 'Refuses the event after a code; after a refresh asks for a new event once.',
  }),
  fault({
    name: 'token.notJson',
    options: { on, status: z.number().int().min(200).max(599).default(200) },
    does: 'Nothing is spent, and the answer is an HTML page with `status`.',
    good: 'Says so, never answers 201, keeps its tokens and tries later.',
  }),
  fault({
    name: 'token.cutOff',
    options: { on },
    does: 'The code or refresh token is spent, and half of the answer comes.',
    good: 'Treats it as a lost answer.',
  }),
  fault({
    name: 'token.oversized',
    options: { on },
    does: 'Nothing is spent, and the answer has 10 MB.',
    good: 'Stops reading early, and treats it as no answer.',
  }),
  fault({
    name: 'token.answer',
    options: { on, set: members, unset: memberNames },
    does: 'Members of the answer are replaced by `set` and left out by `unset`.',
    good: 'Ignores what it does not know, keeps its refresh token when none comes, and refuses what it cannot use.',
  }),
  fault({
    name: 'trigger.refused',
    options: { status: z.number().int().min(400).max(599).default(403) },
    does: 'The answer is `status`, and no event follows.',
    good: 'Tells the caller when to try again, and does not trigger in a loop.',
  }),
  fault({
    name: 'trigger.silent',
    does: 'The answer is 202, and no event follows.',
    good: 'Lets callers wait for a limited time only.',
  }),
  fault({
    name: 'trigger.late',
    options: { ms: milliseconds(5_000) },
    does: 'The event comes `ms` after the answer.',
    good: 'Lets callers wait, and sends no second trigger meanwhile.',
  }),
  fault({
    name: 'event.repeated',
    options: {
      on: event,
      copies: z.number().int().positive().max(100).default(1),
      atOnce: z.boolean().default(false),
      signedAgain: z.boolean().default(false),
    },
    does: 'The event comes `copies` more times: in turn or at once, as it was or signed again.',
    good: 'Gives every copy the same answer, and presents a code once.',
  }),
  fault({
    name: 'event.late',
    options: { on: event, ms: milliseconds(5_000), until: event },
    does: 'The event is signed in time, and comes `ms` later, or right after the plug-in’s next event `until`.',
    good: 'Lets an uninstall that is older than the newest install change nothing.',
  }),
  fault({
    name: 'event.claims',
    options: { on: event, set: members, unset: memberNames },
    does: 'Claims are replaced by `set`, also inside of objects, and left out by `unset`.',
    good: 'Ignores what it does not know, and refuses what it cannot use with the reason.',
  }),
  fault({
    name: 'event.clock',
    options: { on: event, seconds: z.number().int().default(-600) },
    does: '`iat` and `exp` are `seconds` ahead, or behind if negative.',
    good: 'Accepts a difference of some seconds, and refuses one of ten minutes with the reason.',
  }),
  fault({
    name: 'event.keyRotated',
    options: { on: event },
    does: 'A new key at a new URL signs from this event on.',
    good: 'Loads the new key once, and answers 201.',
  }),
  fault({
    name: 'event.reordered',
    does: 'On an installation access_token comes before install.',
    good: 'Needs no install event to use the tokens.',
  }),
  fault({
    name: 'event.afterUninstall',
    does: 'An access_token event that was signed before an uninstall comes after it.',
    good: 'Does not begin a new life of the installation.',
  }),
  keyFault({
    name: 'key.down',
    does: 'The connection to the key host ends without an answer.',
    good: 'Uses the key that it knows; otherwise refuses for now, and asks again soon.',
  }),
  keyFault({
    name: 'key.slow',
    options: { ms: milliseconds(25_000) },
    does: 'The key document comes `ms` later.',
    good: 'Answers the event within 30 s, and loads a key once for all that wait.',
  }),
  keyFault({
    name: 'key.redirect',
    options: { location: z.url().optional() },
    does: 'The key host answers 302 to `location`, or to the same document with a query.',
    good: 'Follows no redirect.',
  }),
  keyFault({
    name: 'key.notFound',
    does: 'The key host answers 404.',
    good: 'Refuses the event, and does not remember the failure for long.',
  }),
  fault({
    name: 'api.unauthorized',
    options: {
      /** The answers wait until so many requests have come, or none has come for 3 s. */
      hold: z.number().int().positive().max(1_000).default(1),
      /** Only requests with the access token of the first one meet it. */
      sameToken: z.boolean().default(false),
      ms: milliseconds(0),
      until: z.enum(['code', 'refresh']).optional(),
    },
    does: 'Valid access tokens are answered 401: `ms` later, after the next token request `until`, or `hold` of them together.',
    good: 'Refreshes once for all calls that wait, and sends each of them again once.',
  }),
  fault({
    name: 'api.scopeWithdrawn',
    does: 'A call is answered 403, as if its scope was withdrawn.',
    good: 'Tells the caller that the scope is missing, and refreshes nothing.',
  }),
  fault({
    name: 'api.limited',
    options: { retryAfter: z.number().int().nonnegative().default(1) },
    does: 'A call is answered 429.',
    good: 'Waits for the time that `Retry-After` names, or tells the page when to try again.',
  }),
  fault({
    name: 'api.status',
    options: { status: z.number().int().min(400).max(599).default(503), retryAfter },
    does: 'A call is answered `status`, and nothing is done.',
    good: 'Refreshes nothing, and sends no POST a second time.',
  }),
  fault({
    name: 'api.hang',
    does: 'A call is never answered.',
    good: 'Gives up after some seconds, and lets no other call wait.',
  }),
  fault({
    name: 'api.off',
    does: 'A call is answered 404, as if the tenant does not have this part of the API.',
    good: 'Tells the caller, and keeps its tokens.',
  }),
]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultName = Fault['name'];
/** What may be given for a fault of this name. */
export type FaultOptions<Name extends FaultName> = Name extends FaultName
  ? Omit<Extract<z.input<typeof faultSchema>, { name: Name }>, 'name'>
  : never;

/** A fault that is on. */
export const activeFaultSchema = z.object({
  id: z.number(),
  /** How many requests have met it. */
  hits: z.number(),
  fault: faultSchema,
});

/** `GET /control/faults` → 200: those of the signed-in user's tenant, and of all tenants. */
export const activeFaultsSchema = z.object({ faults: z.array(activeFaultSchema) });

export type ActiveFault = z.infer<typeof activeFaultSchema>;

/** Each name with its sentences, for pages and documents. */
export const faultDescriptions: readonly (Words & { name: FaultName })[] = faultSchema.options.map(
  (option) => {
    const { description = '', good = '' } = option.meta() ?? {};
    return { name: option.shape.name.value, does: description, good: String(good) };
  },
);

/** An option of a fault, as JSON Schema describes it. */
export interface FaultOption {
  type?: string;
  const?: unknown;
  enum?: readonly string[];
  anyOf?: readonly FaultOption[];
  default?: unknown;
}

/** What may be given for a fault of this name, for command lines and pages. */
export function describeFaultOptions(name: FaultName): Readonly<Record<string, FaultOption>> {
  const option = faultSchema.options.find((each) => each.shape.name.value === name);
  const { properties = {} } = option ? z.toJSONSchema(option, { io: 'input' }) : {};
  const { name: _, ...options } = properties;
  return options as Record<string, FaultOption>;
}
