/** Checks that an installed `@dowel/dashboard` shows the dashboard: its page, its files, and a sign-in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const program = `
import { dashboardDirectory } from '@dowel/dashboard';
import { createServer } from '@dowel/server';

const server = createServer({
  port: 0,
  environment: { DOWEL_DATA_DIR: 'dashboard-data' },
  dashboard: {
    directory: dashboardDirectory,
    onSignInLink: ({ url }) => process.stdout.write(\`\${url}\\n\`),
  },
});
await server.start();
`;

/** @throws Error that names the missing part */
export async function openDashboard(project: string): Promise<void> {
  await writeFile(join(project, 'dashboard.js'), program);
  const server = spawn(process.execPath, ['dashboard.js'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const link = await readLink(server.stdout);
    await loadPage(new URL('/admin/', link));
    await signIn(link);
  } finally {
    server.kill();
    await once(server, 'close');
  }
  await checkLicences(join(project, 'node_modules/@dowel/dashboard/dist'));
}

/** Finds the line with the link; the other lines are the log. */
async function readLink(output: Readable): Promise<URL> {
  for await (const line of createInterface(output)) {
    if (line.startsWith('http')) {
      output.resume();
      return new URL(line);
    }
  }
  throw new Error('The dashboard’s server printed no link');
}

async function loadPage(url: URL): Promise<void> {
  const page = await load(url);
  const policy = page.headers.get('content-security-policy') ?? '';
  if (!policy.includes("default-src 'self'") || policy.includes('unsafe')) {
    throw new Error(`The dashboard’s content security policy is ${policy}`);
  }
  const html = await page.text();
  const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  if (paths.length < 3) throw new Error(`The dashboard’s page names too few files:\n${html}`);
  for (const path of paths) await load(new URL(path, url));
}

async function load(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url.pathname} is answered ${response.status}`);
  return response;
}

/** Signs in with the link's code, like the page. */
async function signIn({ origin, hash }: URL): Promise<void> {
  const code = new URLSearchParams(hash.slice(1)).get('code');
  const { status } = await fetch(`${origin}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
    body: JSON.stringify({ code }),
  });
  if (status !== 201) throw new Error(`The dashboard’s sign-in is answered ${status}`);
}

/** The pages contain libraries by others, whose licences must come with them. */
async function checkLicences(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'licenses.md'), 'utf8');
  for (const name of ['react-dom', '@mantine/core', 'zod']) {
    if (!text.includes(`## ${name} `)) throw new Error(`licenses.md does not name ${name}`);
  }
}
