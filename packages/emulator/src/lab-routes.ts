/** Routes of the control API: settings of the platform, and faults. */
import {
  activeFaultSchema,
  activeFaultsSchema,
  type FaultOptions,
  faultSchema,
  labChangeSchema,
  labSchema,
} from './control-api.ts';
import { type Control, type ControlRoute, route } from './control-route.ts';
import { PlatformError } from './errors.ts';

/** How the tenant's platform behaves. */
export function labRoutes(control: Control): ControlRoute[] {
  const { operations } = control;
  return [
    route({
      method: 'GET',
      path: '/lab',
      summary: 'How the authorization server behaves',
      answer: labSchema,
      handle: (_, { tenantId }) => operations.lab(tenantId),
    }),
    route({
      method: 'PATCH',
      path: '/lab',
      summary: 'Change how the authorization server behaves',
      body: labChangeSchema,
      answer: labSchema,
      handle: ({ body }, { tenantId }) => operations.changeLab(tenantId, body),
    }),
    ...faultRoutes(control),
  ];
}

/** What goes wrong on purpose, in the tenant. */
function faultRoutes({ env, operations }: Control): ControlRoute[] {
  const listOf = (tenantId: string) =>
    operations
      .faults()
      .filter(({ fault }) => !('tenantId' in fault) || fault.tenantId === tenantId);
  return [
    route({
      method: 'GET',
      path: '/faults',
      summary: 'The faults that are on',
      answer: activeFaultsSchema,
      handle: (_, { tenantId }) => ({ faults: listOf(tenantId) }),
    }),
    route({
      method: 'POST',
      path: '/faults',
      summary: 'Let the next requests meet a fault',
      body: faultSchema,
      answer: activeFaultSchema,
      status: 201,
      handle({ body: { name, ...options } }, { tenantId }) {
        const owned = name.startsWith('key.') ? options : { ...options, tenantId };
        const { id } = operations.fault(name, owned as FaultOptions<typeof name>);
        return listOf(tenantId).find((each) => each.id === id);
      },
    }),
    route({
      method: 'DELETE',
      path: '/faults',
      summary: 'End all faults',
      handle(_, { tenantId }) {
        for (const { id } of listOf(tenantId)) env.faults.remove(id);
      },
    }),
    route({
      method: 'DELETE',
      path: '/faults/:id',
      summary: 'End a fault',
      handle({ params }, { tenantId }) {
        const found = listOf(tenantId).find(({ id }) => String(id) === params.id);
        if (!found) throw new PlatformError('FAULT_NOT_FOUND', 'No such fault is on');
        env.faults.remove(found.id);
      },
    }),
  ];
}
