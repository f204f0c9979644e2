/**
 * What operators may see of the claims of an event: no secret, no name of a person. The names of the specification's
 * secrets are known; every other text is judged by its name and form, because a platform may send more (Spec §2.2).
 */
import type { DeliveryClaim } from '@dowel/admin-api';

/** The claims whose texts are shown: addresses without user name, query and fragment. */
const plainClaims: Readonly<Record<string, 'text' | 'address'>> = {
  iss: 'address',
  sub: 'text',
  aud: 'text',
  jti: 'text',
  tenantId: 'text',
  pluginId: 'text',
  instanceId: 'text',
  base_url: 'address',
  'client.client_id': 'text',
  'client.token_endpoint_url': 'address',
  'client.trigger_event.url': 'address',
  'client.trigger_event.method': 'text',
};

const secretName =
  /secret|token|code|certificate|pass|pwd|\bpin\b|credential|key|auth|body|jwt|signature/i;
const personalName = /name|mail|phone|user|person|contact|owner|creator|editor|login/i;
const jwtForm = /eyJ[\w-]+\.[\w-]+\./;
const uuidForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Text without a blank or a dot, longer than words are. */
const randomForm = /^[\w+/=~-]{24,}$/;

const maxUnknownText = 64;
const maxKnownText = 256;
const maxName = 64;
const maxClaims = 60;
const maxDepth = 5;

/**
 * Lists the claims, each place once, in their order. Masked ones keep their place.
 *
 * @param claims of a JWT, verified or not.
 */
export function describeClaims(claims: Readonly<Record<string, unknown>>): DeliveryClaim[] {
  const found: DeliveryClaim[] = [];
  for (const claim of walk(claims, '', 1)) {
    if (found.length === maxClaims) return [...found, { name: '…', value: null, masked: 'more' }];
    found.push(claim);
  }
  return found;
}

function* walk(members: object, prefix: string, depth: number): Generator<DeliveryClaim> {
  for (const [key, value] of Object.entries(members)) {
    const name = `${prefix}${key}`;
    if (!isPlainKey(key)) {
      // The name itself may be a secret or a person.
      yield { name: `${prefix}?`, value: null, masked: 'secret' };
    } else if (typeof value !== 'object' || value === null) {
      yield describeValue(name, value as string | number | boolean | null);
    } else if (isSecret(name)) {
      yield { name, value: null, masked: 'secret' };
    } else if (depth === maxDepth) {
      yield { name, value: null, masked: 'more' };
    } else {
      yield* walk(value, `${name}.`, depth + 1);
    }
  }
}

function isPlainKey(key: string): boolean {
  return key.length <= maxName && !/[\s@]/.test(key) && !randomForm.test(key) && !jwtForm.test(key);
}

function isSecret(name: string): boolean {
  return !Object.hasOwn(plainClaims, name) && secretName.test(name);
}

function describeValue(name: string, value: string | number | boolean | null): DeliveryClaim {
  const masked = maskOf(name, value);
  if (masked !== undefined) return { name, value: null, masked };
  const isAddress = plainClaims[name] === 'address' || String(value).includes('://');
  return { name, value: isAddress ? plainAddress(String(value)) : value };
}

function maskOf(name: string, value: unknown): DeliveryClaim['masked'] {
  if (isSecret(name)) return 'secret';
  const isKnown = Object.hasOwn(plainClaims, name);
  if (!isKnown && personalName.test(name)) return 'personal';
  if (typeof value !== 'string') return undefined;
  if (jwtForm.test(value)) return 'secret';
  if (value.length > (isKnown ? maxKnownText : maxUnknownText)) return 'long';
  if (isKnown) return undefined;
  // Free text may name a person.
  if (/[\s@]/.test(value)) return 'personal';
  return isRandom(value) ? 'secret' : undefined;
}

/** Also as a part of an address or behind a prefix. The name of a host may be as long, but seldom has a digit. */
function isRandom(text: string): boolean {
  const parts = text.split(/[./:]/).filter((part) => /\d/.test(part));
  return [text, ...parts].some((each) => randomForm.test(each) && !uuidForm.test(each));
}

/** User name, password, query and fragment may be secrets. */
function plainAddress(text: string): string {
  return text.replace(/[?#].*$/s, '').replace(/(^|\/\/)[^/]*@/, '$1');
}
