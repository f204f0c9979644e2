/** Sends an event of the record again, also of a plug-in that is not installed any more. */
import { randomUUID } from 'node:crypto';
import { decodeJwt, type JWTPayload } from 'jose';
import { deliverEvent } from './deliver-event.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import { eventJwtOf, viewExchange } from './exchange-log.ts';
import type { Exchange } from './exchange-schema.ts';
import type { TenantState } from './tenant-state.ts';

/** @throws PlatformError `EXCHANGE_NOT_FOUND` */
export async function resendEvent(
  env: Environment,
  { tenant: { tenantId } }: TenantState,
  { id, signedAgain = false }: { id: number; signedAgain?: boolean },
): Promise<Exchange> {
  const record = env.exchanges.find({ tenantId, kind: 'event' }).find((each) => each.id === id);
  if (!record?.event) throw new PlatformError('EXCHANGE_NOT_FOUND', 'No such event is recorded');
  const { event, pluginId, url } = record;
  const sent = eventJwtOf(record);
  const eventJwt = signedAgain ? await signAgain(env, decodeJwt(sent)) : sent;
  const delivery = { tenantId, pluginId: pluginId ?? '', event, url: new URL(url), eventJwt };
  return viewExchange(await deliverEvent(env, delivery), { reveal: false });
}

/** The same event at the present time. Its code stays the same. */
async function signAgain(env: Environment, claims: JWTPayload): Promise<string> {
  const { iat = 0, exp = iat } = claims;
  const now = Math.floor(env.now() / 1000);
  const { sign } = await env.signingKeys.open();
  return sign({ ...claims, iat: now, exp: now + exp - iat, jti: randomUUID() });
}
