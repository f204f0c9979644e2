/** A plug-in without a back end: two pages and a manifest without events and API. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export type AdapterPackage = '@coyoapp/plugin-adapter' | '@dowel/adapter/compat';

export interface ServedPlugin extends AsyncDisposable {
  manifestUrl: string;
  name: string;
}

export async function servePlugin(
  adapter: AdapterPackage,
  platformUrl: string,
): Promise<ServedPlugin> {
  const script = await bundlePage(adapter);
  const name = adapter === '@dowel/adapter/compat' ? 'Successor' : 'Predecessor';
  const query = `?platform=${encodeURIComponent(platformUrl)}`;
  const manifest = {
    manifestVersion: '2.5.0',
    pluginVersion: '1.0.0',
    name: { en: name },
    description: { en: 'Knows who you are.' },
    context: ['userName'],
    entryPoints: [
      {
        id: crypto.randomUUID(),
        url: `page${query}`,
        configUrl: `page/config${query}`,
        name: { en: name },
        description: { en: 'Knows who you are.' },
      },
    ],
  };
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,"><body><script type="module">${script}</script></body></html>`;
  const server = createServer((request, response) => {
    const isManifest = request.url === '/manifest.json';
    response.setHeader('content-type', isManifest ? 'application/json' : 'text/html');
    response.end(isManifest ? JSON.stringify(manifest) : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    name,
    manifestUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/manifest.json`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bundlePage(adapter: AdapterPackage): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL('page.ts', import.meta.url)),
    platform: 'browser',
    resolve: { alias: { '@coyoapp/plugin-adapter': adapter } },
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  return output[0].code;
}
