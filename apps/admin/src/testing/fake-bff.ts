/** The BFF's admin API in memory, as a `fetch`. */
import type { InstallationDetail, InstallationSummary } from '@dowel/schema';
import { listInstallations } from './fake-list.ts';
import { sessionFixture } from './fixtures.ts';

export interface FakeBff {
  installations: InstallationSummary[];
  details: InstallationDetail[];
  isSignedIn: boolean;
  /** Valid once. */
  code: string | undefined;
  /** While true, every request for data fails. */
  isBroken: boolean;
  /** The most rows of a page, even if the request asks for more. */
  maxPageSize: number;
  requests: Request[];
  fetch: typeof globalThis.fetch;
}

export function createFakeBff(state: Partial<FakeBff> = {}): FakeBff {
  const bff: FakeBff = {
    installations: [],
    details: [],
    isSignedIn: true,
    code: undefined,
    isBroken: false,
    maxPageSize: 100,
    requests: [],
    async fetch(input, init) {
      const request = new Request(new URL(String(input), 'http://localhost'), init);
      bff.requests.push(request.clone());
      return answer(bff, request);
    },
    ...state,
  };
  return bff;
}

async function answer(bff: FakeBff, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const path = pathname.replace('/admin/api', '');
  if (request.method !== 'GET' && request.headers.get('X-Dowel-CSRF') !== '1') {
    return failure(403, 'CSRF');
  }
  if (path === '/session' && request.method === 'POST') return signIn(bff, await request.json());
  if (!bff.isSignedIn) return failure(401, 'SIGN_IN_REQUIRED');
  if (path === '/session' && request.method === 'DELETE') {
    bff.isSignedIn = false;
    return new Response(null, { status: 204 });
  }
  if (path === '/session') return Response.json(sessionFixture);
  if (bff.isBroken) return failure(400, 'BROKEN');
  if (path === '/installations') {
    return Response.json(listInstallations(bff.installations, searchParams, bff.maxPageSize));
  }
  const detail = bff.details.find(
    ({ installation }) => path === `/installations/${installation.id}`,
  );
  return detail ? Response.json(detail) : failure(404, 'NOT_FOUND');
}

function signIn(bff: FakeBff, { code }: { code: string }): Response {
  if (code !== bff.code) return failure(401, 'SIGN_IN_FAILED');
  bff.code = undefined;
  bff.isSignedIn = true;
  return Response.json(sessionFixture, { status: 201 });
}

function failure(status: number, code: string): Response {
  return Response.json({ code, message: `Refused with ${code}` }, { status });
}
