/**
 * The real store, one for all histories and all processes of them, and a second connection on which
 * the checks look at what is stored without asking the product.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type Store } from '@dowel/installation-store';
import { createReadableKeyring, damaged, readSealed } from './readable-keyring.ts';

/** One row of `installations`. */
export interface StoredInstallation {
  id: string;
  tenantId: string;
  status: string;
  generation: number;
  tokenVersion: number;
  beganIat: number;
  endedIat: number | null;
  appliedIat: number | null;
}

/** The stored secrets of an installation; null where there is none. */
export interface StoredSecrets {
  grantGeneration: number | null;
  grantVersion: number | null;
  accessToken: string | null;
  refreshToken: string | null;
  /** The generation of an unfinished exchange. */
  intentGeneration: number | null;
}

export type SealedColumn = 'access_token_sealed' | 'refresh_token_sealed' | 'client_secret_sealed';

const selectInstallations = `select id, tenant_id as tenantId, status, generation,
    token_version as tokenVersion, began_iat as beganIat, ended_iat as endedIat,
    applied_iat as appliedIat
  from installations`;

const selectSecrets = `select g.generation as grantGeneration, g.token_version as grantVersion,
    g.access_token_sealed as accessToken, g.refresh_token_sealed as refreshToken,
    e.generation as intentGeneration
  from installations as i
  left join grants as g on g.installation_id = i.id
  left join exchange_intents as e on e.installation_id = i.id
  where i.id = ?`;

export interface SimulatedDatabase {
  store: Store;
  /** The database's clock, epoch milliseconds. */
  clock: () => number;
  read(): StoredInstallation[];
  readSecrets(installationId: string): StoredSecrets;
  /** All values of all columns that are not sealed. */
  readPlain(): string;
  /** Damages one value of an installation's grant. */
  damage(installationId: string, column: SealedColumn): void;
  clear(): void;
  close(): Promise<void>;
}

/** The time in which the checks wait while the store's own thread truncates its log. */
const busyTimeoutMs = 10_000;
/** A folder in memory: thousands of histories commit a million times. */
const memory = '/dev/shm';

export async function openSimulatedDatabase(): Promise<SimulatedDatabase> {
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'dowel-simulator-'));
  const path = join(folder, 'dowel.sqlite');
  const simulated = { clock: () => 0 };
  const store = await openStore({
    path,
    keyring: createReadableKeyring(),
    now: () => simulated.clock(),
  });
  const inspector = new DatabaseSync(path, { timeout: busyTimeoutMs });
  const tables = listTables(inspector);
  const installations = inspector.prepare(selectInstallations);
  const secrets = inspector.prepare(selectSecrets);
  const plain = tables.map((table) => inspector.prepare(`select * from ${table}`));
  const clearing = tables.map((table) => inspector.prepare(`delete from ${table}`));

  return Object.assign(simulated, {
    store,

    read: () => installations.all() as unknown as StoredInstallation[],

    readSecrets(installationId: string): StoredSecrets {
      const row = secrets.get(installationId) as unknown as StoredSecrets;
      const { accessToken, refreshToken } = row;
      return { ...row, accessToken: unseal(accessToken), refreshToken: unseal(refreshToken) };
    },

    readPlain(): string {
      const columns = plain.flatMap((rows) => rows.all().flatMap((row) => Object.entries(row)));
      return JSON.stringify(columns.filter(([name]) => !name.endsWith('_sealed')));
    },

    damage(installationId: string, column: SealedColumn): void {
      inspector
        .prepare(`update grants set ${column} = ? where installation_id = ?`)
        .run(damaged, installationId);
    },

    clear(): void {
      inspector.exec('begin immediate');
      for (const statement of clearing) statement.run();
      inspector.exec('update maintenance set due_at = 0');
      inspector.exec('commit');
    },

    async close(): Promise<void> {
      inspector.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  });
}

const unseal = (value: string | null) => (value === null ? null : readSealed(value));

/** All that hold rows of installations, the one that the others refer to last. */
function listTables(inspector: DatabaseSync): string[] {
  const tables = inspector
    .prepare(
      `select t.name from sqlite_schema as t where t.type = 'table'
        and exists (select 1 from pragma_table_info(t.name) as c where c.name = 'installation_id')`,
    )
    .all()
    .map(({ name }) => String(name));
  return [...tables, 'installations'];
}
