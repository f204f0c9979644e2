import { expect, it } from 'vitest';
import { brokenFixture } from '../testing/fixtures.ts';
import { toCsv } from './save-csv.ts';

it('writes no cell that a spreadsheet would take for a formula', () => {
  const csv = toCsv([brokenFixture({ host: '=1+1', cause: 'a "b", c' })]);

  const [head, row] = csv.split('\r\n');
  expect(head).toBe('id,host,tenantId,pluginId,state,cause,brokenSince,tries');
  expect(row).toContain(",'=1+1,");
  expect(row).toContain(',"a ""b"", c",');
});
