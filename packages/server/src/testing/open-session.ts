/** Opens a session as a plug-in's page does, or fails: no test goes on with the token `undefined`. */
import { setTimeout as pause } from 'node:timers/promises';

const tries = 60;

/**
 * @param post sends the init JWT to `/api/session`
 * @throws Error with the status, for any answer but 200 or 201, and 503 with Retry-After
 */
export async function openSession(post: () => Promise<Response>): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await post();
    if (response.ok) return ((await response.json()) as { sessionToken: string }).sessionToken;
    const retryAfter = response.headers.get('retry-after');
    if (response.status !== 503 || retryAfter === null || attempt === tries) {
      throw new Error(`No session: ${response.status} ${await response.text()}`);
    }
    await response.body?.cancel();
    await pause(Number(retryAfter) * 1000);
  }
}
