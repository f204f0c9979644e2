/** The settings of the back end, for commands and scripts. */
export { readStoreSettings } from './read-configuration.ts';
export type { SettingRow } from './setting-row.ts';
export { dowelVariables, secretNames, settings } from './settings.ts';
