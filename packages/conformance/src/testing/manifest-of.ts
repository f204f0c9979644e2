/** The manifest of the back ends in tests. */

export const events = ['install', 'uninstall', 'access_token', 'instance_add', 'instance_remove'];

/** @param url of the events. @param page of the entry point */
export function manifestOf(url: string, page: string): object {
  const name = { en: 'Plain', de: 'Schlicht' };
  return {
    manifestVersion: '2.5.0',
    pluginVersion: '1.0.0',
    name,
    description: name,
    lifecycle: { url, events: events.filter((event) => event !== 'access_token') },
    apiAccess: { url, client: { mode: ['authorization_code'], scope: ['plugin:notify'] } },
    entryPoints: [
      { id: '5b7d1a90-2c64-4f0e-9a3d-0c1e2f3a4b5c', url: page, name, description: name },
    ],
  };
}
