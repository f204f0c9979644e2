import type { Setting, Settings } from '@dowel/admin-api';
import { serverNow } from './fixtures.ts';

export function settingFixture(changes: Partial<Setting> = {}): Setting {
  return {
    name: 'DOWEL_HISTORY_DAYS',
    label: { en: 'History is kept for', de: 'Verlauf bleibt' },
    group: 'storage',
    option: 'limits.historyDays',
    values: ['30'],
    unit: 'days',
    secret: null,
    source: 'default',
    note: null,
    ...changes,
  };
}

export function settingsFixture(changes: Partial<Settings> = {}): Settings {
  return {
    now: serverNow,
    settings: [settingFixture()],
    versions: {
      dowel: '0.1.0',
      node: 'v24.1.0',
      system: 'linux x64',
      database: {
        engine: 'SQLite',
        version: '3.53.4',
        migration: '0019_history',
        risk: 'asynchronous_standby',
      },
      plugins: [{ name: 'Lunch menu', version: '1.2.0', reference: '/openapi.html' }],
    },
    isProduction: true,
    process: { pid: 4_711, startedAt: serverNow - 60_000 },
    ...changes,
  };
}
