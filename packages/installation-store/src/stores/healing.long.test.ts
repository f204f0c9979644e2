/** With a million installations, a tenth of them waiting for a later time, the plans are the same. */
import { describe, expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { explain } from '../testing/explain.ts';
import { testDatabases } from '../testing/test-databases.ts';
import { claimDue } from './healing.ts';

const count = 1_000_000;
const later = Date.now() + 600_000;

const series = {
  SQLite: `with recursive numbers(n) as
    (select 1 union all select n + 1 from numbers where n < ${count}) `,
  PostgreSQL: `with numbers as (select n from generate_series(1, ${count}) as n) `,
};

describe.each(testDatabases)('healing a million on $name', ({ isAvailable, create, name }) => {
  test.skipIf(!isAvailable)('reads only what is due', async () => {
    const database = await create();
    await (await database.open()).close();
    const columns = `id, issuer, tenant_id, plugin_id, status, generation, token_version, began_iat,
      created_at, heal_at`;
    const select = `select cast(n as text), 'https://a.example.com', cast(n as text), 'p',
      case when n % 10 = 0 then 'awaiting_event' else 'active' end, 1, 1, 1, n,
      case when n % 10 = 0 then ${later} end from numbers`;
    const insert = `insert into installations (${columns}) `;
    await database.execute(
      name === 'SQLite'
        ? `${series[name]} ${insert} ${select}`
        : `${insert} ${series[name]} ${select}`,
    );
    const engine = await openEngine(database.location);

    for (const isAnalysed of [false, true]) {
      if (isAnalysed) await database.execute('analyze');
      expect(await explain(engine, claimDue(engine, 100).compile())).toMatch(
        /SEARCH installations USING (COVERING )?INDEX installations_heal|Index Scan (using|on) installations_heal[\s\S]*Index Cond: \(heal_at <=/,
      );
      expect(await claimDue(engine, 100).execute()).toEqual([]);
    }

    await engine.close();
    await database.destroy();
  });
});
