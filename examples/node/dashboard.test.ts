import { dashboardDirectory } from '@dowel/dashboard';
import { createServer } from '@dowel/server';
import { expect, test } from 'vitest';
import { createFolder } from './kit.ts';

test('a server with the operators’ dashboard', async () => {
  await using folder = await createFolder();
  const shown: string[] = [];
  const show = (line: string) => shown.push(line);
  const options = {
    manifest: new URL('../../packages/create-dowel/template-react/manifest.json', import.meta.url),
    trust: 'https://*.example.com=https://keys.example.com/',
    environment: { DOWEL_DATA_DIR: folder.path },
    port: 0,
  };

  const server = createServer({
    dashboard: {
      directory: dashboardDirectory,
      onSignInLink: ({ url, until }) => show(`The dashboard, until ${until}: ${url}`),
    },
    ...options,
  });
  const { url } = await server.start();

  const page = await fetch(`${url}/admin/`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(shown).toHaveLength(1);
  expect(shown[0]).toContain(`: ${url}/admin/sign-in#code=`);
  await server.close();
});
