/** The control API as an OpenAPI document. */
import { describeRoutes } from '@dowel/schema/openapi';
import { z } from 'zod';
import { failureSchema } from './control-api.ts';
import type { ControlRoute } from './control-route.ts';

/** Returns the document, ready for JSON. */
export function describeControlApi(
  routes: readonly ControlRoute[],
  { origin, cookieName }: { origin: string; cookieName: string },
) {
  return describeRoutes(routes, {
    title: 'The control API of the emulated platform',
    version: '1',
    description:
      'What a person does on a real platform, and what only an emulator can do. Sign in first: the answer sets a cookie. Points in time are epoch milliseconds.',
    url: `${origin}/control`,
    cookieName,
    // `deliveries` of a failed installation or update only.
    error: failureSchema.extend({ code: z.string() }).partial({ deliveries: true }),
  });
}
