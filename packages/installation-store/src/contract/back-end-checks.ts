/** The address of the back end, recorded for commands. */
import assert from 'node:assert/strict';
import { check } from './check.ts';

export const backEndChecks = [
  check('the address of a back end replaces an earlier one, for every process', async (checked) => {
    const { store, other } = checked;
    await store.backEnd.recordAdminUrl('https://one.example.com');
    await other.backEnd.recordAdminUrl('https://two.example.com');
    await other.backEnd.recordAdminUrl('https://two.example.com');

    assert.equal(await store.backEnd.findAdminUrl(), 'https://two.example.com');
  }),
];
