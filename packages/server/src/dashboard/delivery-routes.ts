/** The API of the dashboard's page about events, under `/admin/api/deliveries`; reading only. */
import {
  type Delivery,
  deliveriesQuerySchema,
  deliveriesSchema,
  deliveryDetailSchema,
} from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import { ApiError } from '../base/errors.ts';
import { type AdminRoute, maySeeAddresses, route } from './admin-route.ts';
import type { FoundSession } from './operator-session.ts';

export interface DeliveryContext {
  store: Pick<Store, 'reports'>;
  now: () => number;
}

export function listDeliveryRoutes({ store, now }: DeliveryContext): AdminRoute[] {
  return [
    route('GET /deliveries', {
      role: 'viewer',
      summary: 'Deliveries of events, and refused sessions',
      query: deliveriesQuerySchema,
      answer: deliveriesSchema,
      async handle({ session, query }) {
        const { deliveries, next } = await store.reports.listDeliveries(query);
        const shown = deliveries.map((each) => ({ ...each, sender: senderFor(session, each) }));
        return { now: now(), deliveries: shown, next };
      },
    }),
    route('GET /deliveries/:id', {
      role: 'viewer',
      summary: 'One delivery, with its claims for operators and the body of its answer',
      answer: deliveryDetailSchema,
      async handle({ session, params: { id } }) {
        const detail = await store.reports.describeDelivery(id);
        if (!detail) throw new ApiError('NOT_FOUND', 'There is no such delivery, or it is gone');
        const claims = maySeeAddresses(session) ? detail.claims : null;
        return { ...detail, sender: senderFor(session, detail), claims };
      },
    }),
  ];
}

function senderFor(session: FoundSession, { sender }: Pick<Delivery, 'sender'>): string {
  return maySeeAddresses(session) ? sender : '';
}
