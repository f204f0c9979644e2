/**
 * Pages of the platform with one frame, in which the plug-in's page runs as it does on the platform. The browser loads
 * them from the world's own listener: a page of no real address may not frame one of this machine.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

interface FramedPage {
  /** The address of the plug-in's page, with `?src=`. */
  url: string;
  createInitJwt(jti: string): Promise<string>;
}

interface HostPage {
  readonly url: string;
  /** The `iss` of each init that the frame has said, oldest first. */
  readonly inits: readonly unknown[];
}

export interface HostPages {
  /** Answers a request for a host page. False: it is for something else. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  open(framed: FramedPage): HostPage;
}

interface OpenPage extends FramedPage {
  inits: unknown[];
}

/** @param run part of all paths. */
export function createHostPages(origin: string, run: string): HostPages {
  const pages = new Map<string, OpenPage>();
  return {
    answer(request, response) {
      const page = pages.get(request.url ?? '');
      if (!page) return false;
      answerPage(page, request, response).catch(() => response.destroy());
      return true;
    },
    open(framed) {
      const path = `/page/${run}/${randomUUID()}`;
      const page = { ...framed, inits: [] };
      pages.set(path, page);
      return { url: origin + path, inits: page.inits };
    },
  };
}

async function answerPage(
  page: OpenPage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(writeHtml(page.url));
    return;
  }
  const { iss, jti } = JSON.parse(await text(request)) as { iss: unknown; jti: unknown };
  page.inits.push(iss);
  const isRight = iss === new URL(page.url).searchParams.get('src') && typeof jti === 'string';
  if (isRight) response.end(await page.createInitJwt(jti));
  else response.writeHead(204).end();
}

/** The frame may do what it may do on the platform. */
function writeHtml(url: string): string {
  const source = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html>
<title>dowel doctor</title>
<link rel="icon" href="data:,">
<script>
  addEventListener('message', async ({ data, source }) => {
    if (data?.sub !== 'init') return;
    const body = JSON.stringify(data);
    const response = await fetch(location.href, { method: 'POST', body, redirect: 'error' });
    if (response.status === 200) source.postMessage(await response.text(), '*');
  });
</script>
<iframe
  sandbox="allow-scripts allow-forms allow-popups allow-downloads"
  allow="camera; geolocation; fullscreen"
  referrerpolicy="strict-origin"
  width="600"
  height="400"
  src="${source}"
></iframe>
`;
}
