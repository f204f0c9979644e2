/** How the plain back end calls the platform’s API for a page. */
import { type Claims, type Patient, requestLimitMs } from './patient.ts';
import { keyOfInstallation } from './plain-events.ts';
import { verifyJwt } from './plain-jwts.ts';
import { renew } from './plain-tokens.ts';
import { Refused } from './refused.ts';

/** Sends one notification. @param body names the page, the recipient and the message. @throws Refused */
export async function notify(patient: Patient, body: Claims): Promise<void> {
  const { is } = patient;
  const claims = await verifyJwt(patient, String(body.initJwt));
  if (claims.sub !== 'init') throw new Refused(401, 'It is no page');
  const { pluginId } = body;
  const key = keyOfInstallation(patient, {
    iss: claims.iss,
    tenantId: claims['ctx.tenantId'],
    pluginId,
  });
  const before = patient.grants.get(key);
  if (before && is('call.calm')) await renew(patient, key, before.accessToken);
  let answer = await callPlatform(patient, key, body);
  for (let renewals = 0; renewals < (is('refresh.noLoop') ? 10 : 1); renewals += 1) {
    const isOver = is('refresh.not403') ? answer.status < 400 : answer.status !== 401;
    if (isOver || (before?.refreshToken && is('refresh.expired'))) break;
    await renew(patient, key, answer.usedToken);
    answer = await callPlatform(patient, key, body);
  }
  if (answer.status >= 300) throw new Refused(502, `The platform answered ${answer.status}`);
}

async function callPlatform(
  { grants }: Patient,
  key: string,
  { pluginId, instanceId, recipientId, message }: Claims,
): Promise<{ status: number; usedToken: string }> {
  const grant = grants.get(key);
  if (!grant?.accessToken) throw new Refused(404, 'Not installed');
  const usedToken = grant.accessToken;
  const path = ['api/plugins', pluginId, 'instances', instanceId, 'notifications'].join('/');
  const response = await fetch(`${grant.baseUrl}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${usedToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ category: 'BIRTHDAY', recipientId, message }),
    signal: AbortSignal.timeout(requestLimitMs),
  });
  await response.body?.cancel();
  return { status: response.status, usedToken };
}
