/** Adding tenants and people while the platform runs. */
import { randomUUID } from 'node:crypto';
import type { AddTenant, AddUser, User } from './control-api.ts';
import type { TenantState } from './tenant-state.ts';
import type { TenantSeed } from './tenants.ts';

/** Returns a tenant without people. No tenant in `states` has its slug. */
export function newTenant(states: readonly TenantState[], { name }: AddTenant): TenantSeed {
  const chosen = name ?? `Tenant ${states.length + 1}`;
  const slugs = states.map(({ slug }) => slug);
  const slug = unusedText(toWords(chosen).join('-') || 'tenant', '-', slugs);
  return { tenantId: randomUUID(), slug, name: chosen, users: [] };
}

/** Adds a person to the tenant, and to its part of the snapshot. Their email is unique in the tenant. */
export function addUser(
  { tenant, slug, addedUsers }: TenantState,
  { name, language = 'en', jobTitle = '' }: AddUser,
): User {
  const chosen = name ?? `Person ${tenant.users.length + 1}`;
  const domain = `@${slug}.example`;
  const taken = tenant.users.map(({ email }) => email.replace(domain, ''));
  const email = `${unusedText(toWords(chosen).join('.') || 'person', '.', taken)}${domain}`;
  const user = { userId: randomUUID(), name: chosen, email, language, jobTitle };
  tenant.users.push(user);
  addedUsers.push(user);
  return user;
}

/** `Zoë Müller` → `['zoe', 'muller']` */
function toWords(name: string): string[] {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[a-z0-9]+/g) ?? [];
}

/** Returns `text`, with a number if it is taken. */
function unusedText(text: string, separator: string, taken: readonly string[]): string {
  if (!taken.includes(text)) return text;
  let count = 2;
  while (taken.includes(`${text}${separator}${count}`)) count += 1;
  return `${text}${separator}${count}`;
}
