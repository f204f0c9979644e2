/** Events as the platform posts them, and raw bytes that it never sends. */
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import type { World } from './start-world.ts';

/** Signs an install event of the platform. */
export async function createInstallEvent(
  world: Pick<World, 'platform' | 'tenantId'>,
  claims: Record<string, unknown> = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  return world.platform.sign({
    iss: world.platform.tenants[0]?.baseUrl ?? '',
    sub: 'install',
    iat,
    exp: iat + 60,
    tenantId: world.tenantId,
    pluginId: crypto.randomUUID(),
    ...claims,
  });
}

export function sendEvent(
  world: World,
  body: string,
  headers: Record<string, string> = {},
  name = 'install',
): Promise<Response> {
  return fetch(`${world.url}/lifecycle/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/jwt', ...headers },
    body,
  });
}

/** The form of every refusal: JSON `{code, message}` within the platform's bounds. */
export async function expectRefusal(response: Response, status: number): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toContain('application/json');
  const { code, message } = (await response.json()) as { code: number; message: string };
  expect(code).toBeGreaterThanOrEqual(100);
  expect(code).toBeLessThan(600);
  expect(message.length).toBeLessThanOrEqual(200);
}

/**
 * Sends bytes on their own socket. Resolves with everything received when the server closes it.
 *
 * @param onData called after each piece, with everything received so far
 */
export function exchangeRaw(
  world: World,
  bytes: string,
  onData: (exchange: { socket: Socket; text: string }) => void = () => undefined,
): Promise<string> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
      onData({ socket, text: answer });
    });
    socket.on('end', () => {
      socket.end();
      resolve(answer);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (answer) resolve(answer);
      else reject(error);
    });
  });
}
