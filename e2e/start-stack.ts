/** The processes that `npm start` starts, on free ports and with a fresh data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnusedPort, startOnUnusedPort } from '@dowel/settings/testing';

export interface Stack {
  emulatorUrl: string;
  manifestUrl: string;
  adminUrl: string;
  /** The link signs an operator in, once. */
  signInUrl: string;
  /** Everything printed or logged until now. */
  readOutput(): Promise<string>;
  /** Of the operators: the code of the link, and where alerts go, with the key that signs them. */
  operatorSecrets: readonly string[];
  /** Each secret that the platform has given out until now. */
  readSecrets(): Promise<string[]>;
  /** Sends the signal of Ctrl-C; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const startScript = fileURLToPath(new URL('../scripts/start.ts', import.meta.url));
const startTimeoutMs = 60_000;

export function startStack(): Promise<Stack> {
  return startOnUnusedPort(async (bffPort) => startOn(bffPort, await findUnusedPort()));
}

async function startOn(bffPort: number, emulatorPort: number): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dowel-e2e-'));
  const webhook = {
    path: randomBytes(24).toString('hex'),
    key: `whsec_${randomBytes(32).toString('base64')}`,
  };
  const child = spawn(process.execPath, [startScript], {
    env: {
      ...process.env,
      EMULATOR_PORT: String(emulatorPort),
      DOWEL_PORT: String(bffPort),
      DOWEL_DATA_DIR: dataDir,
      // The sample's page asks for a nonce, and the emulated host passes it on.
      DOWEL_SESSION_NONCE: 'required',
      DOWEL_ALERT_WEBHOOK_URL: `http://127.0.0.1:9/services/${webhook.path}`,
      DOWEL_ALERT_WEBHOOK_SECRET: webhook.key,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const banner = await readBanner(child);
  const bffUrl = `http://localhost:${bffPort}`;
  const signInUrl = /http\S+#code=\S+/.exec(banner)?.[0] ?? '';
  return {
    emulatorUrl: `http://localhost:${emulatorPort}`,
    manifestUrl: `${bffUrl}/manifest.json`,
    adminUrl: `${bffUrl}/admin/`,
    signInUrl,
    operatorSecrets: [
      signInUrl.split('#code=')[1] ?? '',
      webhook.path,
      webhook.key.replace('whsec_', ''),
    ],
    async readOutput() {
      const logs = ['bff.log', 'emulator.log'].map((name) => join(dataDir, 'logs', name));
      return (await Promise.all(logs.map((path) => readFile(path, 'utf8')))).join('');
    },
    async readSecrets() {
      const state = await readFile(join(dataDir, `emulator-${emulatorPort}.json`), 'utf8');
      return (JSON.parse(state) as PlatformState).tenants.flatMap(({ clients }) =>
        clients.flatMap(secretsOf),
      );
    },
    async stop() {
      const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      const code = await exit;
      await rm(dataDir, { recursive: true });
      return code;
    },
  };
}

/** Reads the secrets of the emulator's state file. */
interface PlatformState {
  tenants: { clients: ClientState[] }[];
}

interface ClientState {
  clientSecret: string;
  triggerToken: string;
  grants: {
    code: string;
    accessToken: { value: string } | null;
    refreshToken: string | null;
    spentRefreshTokens: { value: string }[];
  }[];
}

function secretsOf({ clientSecret, triggerToken, grants }: ClientState): string[] {
  const ofGrants = grants.flatMap(({ code, accessToken, refreshToken, spentRefreshTokens }) => [
    code,
    ...[accessToken, ...spentRefreshTokens].flatMap((token) => (token ? [token.value] : [])),
    ...(refreshToken ? [refreshToken] : []),
  ]);
  return [clientSecret, triggerToken, ...ofGrants];
}

function readBanner(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`Not ready after ${startTimeoutMs} ms:\n${output}`));
    }, startTimeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        output += text.toString();
        if (!output.includes('Ctrl-C ends everything')) return;
        clearTimeout(timer);
        resolve(output);
      });
    }
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Ended with code ${code}:\n${output}`));
    });
  });
}
