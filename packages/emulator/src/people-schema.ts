/** Tenants, their people, and who is signed in: a part of the control API. */
import { z } from 'zod';

export const userSchema = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  /** BCP 47, for example `en`. */
  language: z.string(),
  jobTitle: z.string(),
});

export const tenantSchema = z.object({
  tenantId: z.string(),
  name: z.string(),
  /** `iss` of its JWTs and `base_url` of its events. */
  baseUrl: z.string(),
  users: z.array(userSchema),
});

/** `GET /control/tenants` → everybody who can sign in. */
export const tenantsSchema = z.object({ tenants: z.array(tenantSchema) });

const nameSchema = z.string().trim().min(1).max(100);

/** `POST /control/tenants` → 201 with the tenant, which has no people. */
export const addTenantSchema = z.strictObject({
  /** Default: a numbered one. */
  name: nameSchema.optional(),
});

/** `POST /control/tenants/:tenantId/users` → 201 with the user. */
export const addUserSchema = z.strictObject({
  /** Default: a numbered one. */
  name: nameSchema.optional(),
  /** BCP 47. Default `en`. */
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/)
    .optional(),
  jobTitle: z.string().trim().max(100).optional(),
});

/** `POST /control/session`; 201 sets a cookie. `GET` → 200, or 204 when nobody is signed in. `DELETE` → 204. */
export const signInSchema = z.strictObject({ userId: z.string() });

/** `GET /control/sign-in` → 303: the link of `platform.signInUrl`. It works once. */
export const signInLinkSchema = z.strictObject({
  token: z.string(),
  path: z.string().default('/'),
});

export const sessionSchema = z.object({
  user: userSchema,
  tenant: tenantSchema.omit({ users: true }),
  /** Everyone in the tenant, the user included. */
  colleagues: z.array(userSchema),
});

export type User = z.infer<typeof userSchema>;
export type Tenant = z.infer<typeof tenantSchema>;
export type AddTenant = z.infer<typeof addTenantSchema>;
export type AddUser = z.infer<typeof addUserSchema>;
export type Session = z.infer<typeof sessionSchema>;
