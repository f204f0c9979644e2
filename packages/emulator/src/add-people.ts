/** Adding tenants and people while the platform runs. */
import { randomUUID } from 'node:crypto';
import type { AddTenant, AddUser, User } from './control-api.ts';
import type { TenantState } from './tenant-state.ts';
import type { TenantSeed } from './tenants.ts';

/** Returns a tenant without people. No tenant in `states` has its slug. */
export function newTenant(states: readonly TenantState[], { name }: AddTenant): TenantSeed {
  const chosen = name ?? `Tenant ${states.length + 1}`;
  const slugs = states.map(({ slug }) => slug);
  const slug = unusedText(toAddress(chosen, '-') || 'tenant', '-', slugs);
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
  const email = `${unusedText(toAddress(chosen, '.') || 'person', '.', taken)}${domain}`;
  const user = { userId: randomUUID(), name: chosen, email, language, jobTitle };
  tenant.users.push(user);
  addedUsers.push(user);
  return user;
}

/** Of an address, so that with a number it is shorter than a secret, which is masked. */
const maxLength = 32;

/** `Zoë Müller` → `zoe-muller` */
function toAddress(name: string, separator: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  // The cut may leave a separator at the end.
  return words.join(separator).slice(0, maxLength).replace(/\W$/, '');
}

/** Returns `text`, with a number if it is taken. */
function unusedText(text: string, separator: string, taken: readonly string[]): string {
  if (!taken.includes(text)) return text;
  let count = 2;
  while (taken.includes(`${text}${separator}${count}`)) count += 1;
  return `${text}${separator}${count}`;
}
