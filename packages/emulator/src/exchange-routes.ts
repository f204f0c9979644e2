/** Routes of the control API: the record of requests. */
import {
  exchangeQuerySchema,
  exchangeSchema,
  exchangesSchema,
  resendSchema,
  revealQuerySchema,
} from './control-api.ts';
import { type Control, type ControlRoute, route } from './control-route.ts';
import { PlatformError } from './errors.ts';

/** The requests in and out of the tenant, and for key documents, which belong to no tenant. */
export function exchangeRoutes({ operations }: Control): ControlRoute[] {
  const listFor = (tenantId: string, query: Parameters<typeof operations.exchanges>[0]) =>
    operations.exchanges(query).filter((each) => each.kind === 'key' || each.tenantId === tenantId);
  return [
    route({
      method: 'GET',
      path: '/exchanges',
      summary: 'Every request in and out, oldest first, without bodies',
      query: exchangeQuerySchema,
      answer: exchangesSchema,
      handle: ({ query }, { tenantId }) => ({ exchanges: listFor(tenantId, query) }),
    }),
    route({
      method: 'GET',
      path: '/exchanges/:id',
      summary: 'A request with headers, bodies and answer',
      query: revealQuerySchema,
      answer: exchangeSchema,
      handle({ params, query }, { tenantId }) {
        const found = listFor(tenantId, query).find(({ id }) => String(id) === params.id);
        if (found) return found;
        throw new PlatformError('EXCHANGE_NOT_FOUND', 'No such request is recorded');
      },
    }),
    route({
      method: 'POST',
      path: '/exchanges/:id/resend',
      summary: 'Send an event again, as it was or signed again',
      body: resendSchema,
      answer: exchangeSchema,
      status: 201,
      handle: ({ params, body }, { tenantId }) =>
        operations.resendEvent({ tenantId, id: Number(params.id), ...body }),
    }),
  ];
}
