/**
 * Reads events that are spelled otherwise than the schemas say. The schemas have the shapes of the specification. A real
 * platform may differ in a detail, and then its tenants must not be locked out: what is understood is turned into the
 * specified shape, and what Dowel does not need is left out. Each difference is named, for the log and the dashboard.
 */
import { identifier } from './claims.ts';
import { type LifecycleEventName, triggerEventSchema } from './lifecycle-events.ts';
import { hasPrototypeMember } from './without-prototype-members.ts';

/** A member that is spelled otherwise than the specification says. It contains no value. */
export interface Respelling {
  /** RFC 6901. */
  pointer: string;
  /** How it is spelled. */
  type:
    | 'missing'
    | 'empty'
    | 'lower case'
    | 'named uri'
    | 'object'
    | 'array'
    | 'text'
    | 'commas'
    | 'absolute URL'
    | 'with query'
    | 'unknown header'
    | 'unusable';
}

export interface NormalizedEvent {
  /** The claims in the shape of the specification, as far as they are understood. The schema decides. */
  payload: unknown;
  respelled: Respelling[];
}

type Claims = Readonly<Record<string, unknown>>;

/** Of one kind of event. The payload itself is not changed. */
export function normalizeEvent(name: LifecycleEventName, payload: unknown): NormalizedEvent {
  // The schema refuses both.
  if (!isObject(payload) || hasPrototypeMember(payload)) return { payload, respelled: [] };
  const respelled: Respelling[] = [];
  const event = withoutUnusableId(payload, respelled);
  const isOfAccess = name === 'access_token';
  return { payload: isOfAccess ? normalizeAccess(event, respelled) : event, respelled };
}

const jtiSchema = identifier(256);

/** Nothing needs `jti`. */
function withoutUnusableId(event: Claims, respelled: Respelling[]): Claims {
  const { jti, ...others } = event;
  if (jti === undefined || jtiSchema.safeParse(jti).success) return event;
  respelled.push({ pointer: '/jti', type: 'unusable' });
  return others;
}

function normalizeAccess(event: Claims, respelled: Respelling[]): Claims {
  const { base_url, client, iss } = event;
  const normal = { ...event };
  if (base_url === undefined || base_url === null || base_url === '') {
    respelled.push({ pointer: '/base_url', type: base_url === '' ? 'empty' : 'missing' });
    normal.base_url = iss;
  }
  if (isObject(client) && 'trigger_event' in client) {
    const { trigger_event, ...others } = client;
    const trigger = normalizeTrigger(trigger_event, respelled);
    normal.client = trigger ? { ...others, trigger_event: trigger } : others;
  }
  return normal;
}

/** Undefined: there is none that could be sent. The tokens of the event are good without it. */
function normalizeTrigger(trigger: unknown, respelled: Respelling[]): Claims | undefined {
  if (trigger === undefined) return undefined;
  const { normal, found } = isObject(trigger)
    ? spellTrigger(trigger)
    : { normal: trigger, found: [] };
  if (triggerEventSchema.safeParse(normal).success) {
    respelled.push(...found);
    return normal as Claims;
  }
  respelled.push({ pointer: triggerPointer, type: 'unusable' });
  return undefined;
}

const triggerPointer = '/client/trigger_event';

function spellTrigger(trigger: Claims): { normal: Claims; found: Respelling[] } {
  const normal: Record<string, unknown> = { ...trigger };
  const found: Respelling[] = [];
  const { url, uri, method, body } = trigger;
  const note = (name: string, type: Respelling['type']) =>
    found.push({ pointer: `${triggerPointer}/${name}`, type });
  if (url === undefined && uri !== undefined) {
    note('url', 'named uri');
    normal.url = uri;
    delete normal.uri;
  }
  if (method === undefined || method === null) {
    note('method', 'missing');
    normal.method = 'POST';
  } else if (typeof method === 'string' && method !== method.toUpperCase()) {
    note('method', 'lower case');
    normal.method = method.toUpperCase();
  }
  if (isObject(body)) {
    note('body', 'object');
    normal.body = JSON.stringify(body);
  } else if (body === null || body === '') {
    note('body', 'empty');
    delete normal.body;
  }
  return { normal, found };
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
