/**
 * Decides which addresses of an access_token event are used. A trigger that cannot be sent is left out: the tokens of the event
 * are good without it, and the installation cannot ask for a new event. Other spellings are named, for log and dashboard.
 */
import { type AccessTokenEvent, isApiOrigin, type Respelling, withApiOrigin } from '@dowel/schema';
import { type CheckContext, readBaseUrl, resolveAddress } from './check-event.ts';

/** The event as it is applied, and what the platform spells otherwise than the specification. */
export interface ResolvedEvent {
  event: AccessTokenEvent;
  respelled: Respelling[];
}

/** Does no I/O. It refuses nothing: that is for `accept`. */
export function resolveAddresses(event: AccessTokenEvent, context: CheckContext): ResolvedEvent {
  const { trigger_event: trigger, ...client } = event.client;
  const endpoint = spellingOf('/client/token_endpoint_url', client.token_endpoint_url);
  if (!trigger) return { event, respelled: endpoint };
  if (resolveAddress(context, event, trigger.url)) {
    const found = spellingOf('/client/trigger_event/url', trigger.url);
    return { event, respelled: [...endpoint, ...found] };
  }
  const unusable: Respelling = { pointer: '/client/trigger_event', type: 'unusable' };
  return { event: { ...event, client }, respelled: [...endpoint, unusable] };
}

function spellingOf(pointer: string, address: string): Respelling[] {
  const isAbsolute = /^https?:/i.test(address);
  return [
    ...(isAbsolute ? [{ pointer, type: 'absolute URL' as const }] : []),
    ...(address.includes('?') ? [{ pointer, type: 'with query' as const }] : []),
  ];
}

/**
 * The setting that would allow the API of a refused event: the event's issuer, the origin of its API, and the value of
 * DOWEL_API_ORIGINS. Undefined: another origin is not the reason, or no rule can allow it.
 */
export function adviseApiOrigin(
  { iss, base_url, client }: AccessTokenEvent,
  { apiOrigins }: CheckContext,
): { issuer: string; apiOrigin: string; set: string } | undefined {
  const endpoint = URL.parse(client.token_endpoint_url) ?? undefined;
  const url = [readBaseUrl(base_url), endpoint].find(
    (each) => each !== undefined && !isApiOrigin(apiOrigins, { issuer: iss, url: each }),
  );
  const value = url && withApiOrigin(apiOrigins, { issuer: iss, url });
  if (!url || value === undefined) return undefined;
  return { issuer: iss, apiOrigin: url.origin, set: `DOWEL_API_ORIGINS=${value}` };
}
