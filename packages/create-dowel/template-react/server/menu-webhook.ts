/**
 * A webhook of the kitchen, which sends today's menu. Anybody can call it, so it accepts only what is signed:
 * `X-Signature` is the HMAC-SHA256 in hex of `<X-Timestamp>.<body>`, the time in epoch seconds.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RouteRegistrar } from '@dowel/server';
import { z } from 'zod';
import { setMenu } from './store.ts';

const menuSchema = z.object({ menu: z.string().max(200) });
/** A request that somebody has recorded is accepted only so long. */
const maxAgeSeconds = 300;

/** Returns what registers the route. Without a secret there is no route. */
export function menuWebhook(secret: string | undefined) {
  return (router: RouteRegistrar<unknown>): void => {
    if (!secret) return;
    router.post('/webhooks/menu', async ({ header, bytes }) => {
      const body = Buffer.from(await bytes());
      const timestamp = header('x-timestamp') ?? '';
      const signature = Buffer.from(header('x-signature') ?? '', 'hex');
      if (!isRecent(timestamp) || !isEqual(signature, sign(secret, timestamp, body))) {
        return refuse(401, 'SIGNATURE_INVALID', 'Sign `<X-Timestamp>.<body>` with the secret');
      }
      const menu = parseMenu(body);
      if (menu === undefined) return refuse(400, 'MENU_INVALID', 'Send {"menu": "…"}');
      setMenu(menu);
      return undefined;
    });
  };
}

/** Returns the HMAC-SHA256 that the sender computes too. */
export function sign(secret: string, timestamp: string, body: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

const isRecent = (timestamp: string) =>
  Math.abs(Date.now() / 1000 - Number(timestamp)) <= maxAgeSeconds;

/** Takes as long for a wrong signature as for the right one. */
const isEqual = (left: Buffer, right: Buffer) =>
  left.length === right.length && timingSafeEqual(left, right);

function parseMenu(body: Buffer): string | undefined {
  try {
    return menuSchema.parse(JSON.parse(body.toString())).menu;
  } catch {
    return undefined;
  }
}

const refuse = (status: number, code: string, message: string) => ({
  status,
  body: { code, message },
});
