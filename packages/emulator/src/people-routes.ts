/** Routes of the control API: tenants and their people. */
import {
  addTenantSchema,
  addUserSchema,
  tenantSchema,
  tenantsSchema,
  userSchema,
} from './control-api.ts';
import { type Control, type ControlRoute, openRoute } from './control-route.ts';

/** Lists and adds tenants and people. */
export function peopleRoutes({ operations }: Control): ControlRoute[] {
  return [
    openRoute({
      method: 'GET',
      path: '/tenants',
      summary: 'Everybody who can sign in',
      answer: tenantsSchema,
      handle: () => ({ tenants: [...operations.tenants] }),
    }),
    openRoute({
      method: 'POST',
      path: '/tenants',
      summary: 'Add a tenant',
      body: addTenantSchema,
      answer: tenantSchema,
      status: 201,
      handle: ({ body }) => operations.addTenant(body),
    }),
    openRoute({
      method: 'POST',
      path: '/tenants/:tenantId/users',
      summary: 'Add a person to a tenant',
      body: addUserSchema,
      answer: userSchema,
      status: 201,
      handle: ({ params: { tenantId = '' }, body }) => operations.addUser({ tenantId, ...body }),
    }),
  ];
}
