/** The tenants and users of the platform. Their ids never change, so that links and tests can use them. */
import type { User } from './control-api.ts';

export interface TenantSeed {
  tenantId: string;
  /** Its segment of the URL: the tenant's `base_url` is `<origin>/t/<slug>`. */
  slug: string;
  name: string;
  users: User[];
}

/** Two tenants, `acme` and `globex`, with seven users: the default of a platform. */
export function seedTenants(): TenantSeed[] {
  return [
    {
      tenantId: '3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01',
      slug: 'acme',
      name: 'Acme GmbH',
      users: [
        user('a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c01', 'Mara Lindner', 'de', 'Head of People'),
        user('a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c02', 'Jonas Weber', 'de', 'Facility Manager'),
        user('a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c03', 'Priya Nair', 'en', 'Product Designer'),
        user('a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c04', 'Tomasz Kowalski', 'en', 'Engineer'),
      ],
    },
    {
      tenantId: '7b9d4e16-2f63-4c8d-b1a7-9e0f3a2c5d02',
      slug: 'globex',
      name: 'Globex',
      users: [
        user('b2c6d1ef-2d20-4e1b-8d66-1b7e3a4c5d01', 'Helen Okafor', 'en', 'Chief of Staff'),
        user('b2c6d1ef-2d20-4e1b-8d66-1b7e3a4c5d02', 'Lukas Brandt', 'de', 'Accountant'),
        user('b2c6d1ef-2d20-4e1b-8d66-1b7e3a4c5d03', 'Sofia Reyes', 'en', 'Communications'),
      ],
    },
  ];

  function user(userId: string, name: string, language: string, jobTitle: string): User {
    const company = userId.startsWith('a') ? 'acme' : 'globex';
    const email = `${name.toLowerCase().replace(' ', '.')}@${company}.example`;
    return { userId, name, email, language, jobTitle };
  }
}
