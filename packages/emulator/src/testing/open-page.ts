/** A page of the emulator that calls the control API. */
import type { World } from './start-world.ts';

export interface Page {
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  cookie: string;
}

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A page of the emulator: same origin, and signed in when a user is named. */
export async function openPage(world: World, userId?: string): Promise<Page> {
  const { origin } = world.platform;
  const page: Page = {
    cookie: '',
    async request(method, path, body, headers = {}) {
      const response = await fetch(`${origin}/control${path}`, {
        method,
        headers: { origin, cookie: page.cookie, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
    },
  };
  if (userId) {
    const { headers } = await page.request('POST', '/session', { userId });
    page.cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  }
  return page;
}
