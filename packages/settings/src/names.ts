/**
 * The names of all settings. Each program's schema must have exactly the names of its list (TypeScript checks
 * it), and .env.example must explain each (scripts/docs.test.ts checks it).
 *
 * To add a setting, add its name here; the compiler names the place that must read it.
 */

/** Database and encryption key, read by the back end and by `dowel`. */
export const storeSettings = [
  'DOWEL_DATA_DIR',
  'DOWEL_KEY_FILE',
  'DOWEL_DATABASE_URL',
  'DOWEL_POSTGRES_CONNECTIONS',
] as const;

/** Read only by the back end: packages/server/src/configuration.ts. */
export const backEndSettings = [
  'DOWEL_HOST',
  'DOWEL_PORT',
  'DOWEL_PUBLIC_URL',
  'DOWEL_ADMIN_ORIGIN',
  'DOWEL_MANIFEST',
  'DOWEL_EVENT_PATH',
  'DOWEL_ESSENTIAL_SCOPES',
  'DOWEL_REFRESH_PLACEMENT',
  'DOWEL_BASIC_ENCODING',
  'DOWEL_NOTIFICATION_PATH',
  'DOWEL_TRUST',
  'DOWEL_API_ORIGINS',
  'DOWEL_INTERNAL_HOSTS',
  'DOWEL_PLUGIN_IDS',
  'DOWEL_AUDIENCE',
  'DOWEL_SESSION_NONCE',
  'DOWEL_UNMATCHED_PAGES',
  'DOWEL_PROXY_HOPS',
  'DOWEL_CONNECTIONS',
  'DOWEL_CONNECTIONS_PER_ADDRESS',
  'DOWEL_REFUSALS_PER_ADDRESS',
  'DOWEL_NONCES_PER_ADDRESS',
  'DOWEL_VERIFICATIONS_AT_ONCE',
  'DOWEL_DECISIONS_AT_ONCE',
  'DOWEL_EXCHANGES_PER_INSTALLATION',
  'DOWEL_NOTIFICATIONS_PER_SESSION',
  'DOWEL_NOTIFICATIONS_PER_USER',
  'DOWEL_NOTIFICATIONS_PER_TENANT',
  'DOWEL_NOTIFICATIONS_PER_PROCESS',
  'DOWEL_KEEP_ALIVE_SECONDS',
  'DOWEL_DRAIN_MS',
  'DOWEL_STOP_GRACE_MS',
  'DOWEL_HISTORY_DAYS',
  'DOWEL_LOG_LEVEL',
  'DOWEL_ALERTS',
  'DOWEL_ALERT_BROKEN_MINUTES',
  'DOWEL_ALERT_BROKEN_PERCENT',
  'DOWEL_ALERT_REFUSED_PER_MINUTE',
  'DOWEL_ALERT_REMINDER_HOURS',
  'DOWEL_ALERT_WEBHOOK_URL',
  'DOWEL_ALERT_WEBHOOK_SECRET',
  'DOWEL_ALERT_SMTP_URL',
  'DOWEL_ALERT_MAIL_FROM',
  'DOWEL_ALERT_MAIL_TO',
  'DOWEL_OIDC_ISSUER',
  'DOWEL_OIDC_CLIENT_ID',
  'DOWEL_OIDC_CLIENT_SECRET',
  'DOWEL_OIDC_SCOPE',
  'DOWEL_OIDC_ROLE_CLAIM',
  'DOWEL_OIDC_ROLES',
] as const;

/** Read by the emulator: apps/emulator/src/server/configuration.ts. */
export const emulatorSettings = [
  'EMULATOR_PORT',
  'EMULATOR_HOST',
  'EMULATOR_STATE',
  'EMULATOR_SAMPLE_MANIFEST',
  'EMULATOR_EVENT_FORMAT',
  'EMULATOR_SRC',
] as const;

/** Settings that hold a secret. `NAME_FILE` may name a file with the value instead. */
const secretSettings = [
  'DOWEL_DATABASE_URL',
  'DOWEL_ALERT_WEBHOOK_URL',
  'DOWEL_ALERT_WEBHOOK_SECRET',
  'DOWEL_ALERT_SMTP_URL',
  'DOWEL_OIDC_CLIENT_SECRET',
] as const satisfies readonly (StoreSetting | BackEndSetting)[];

/** The name of the setting, by the variable that names its file. */
export const fileVariables: ReadonlyMap<string, string> = new Map(
  secretSettings.map((name) => [`${name}_FILE`, name]),
);

export type StoreSetting = (typeof storeSettings)[number];
export type BackEndSetting = (typeof backEndSettings)[number];
export type EmulatorSetting = (typeof emulatorSettings)[number];

/** Read by tests and tools. A program accepts them in its environment. */
export const otherVariables: readonly string[] = [
  'DOWEL_CHROMIUM',
  'DOWEL_TESTS',
  'DOWEL_CRASH_AHEAD_MS',
  'DOWEL_CRASH_ORDER',
  'DOWEL_CRASH_SEED',
  'DOWEL_ORDER_ROUNDS',
  'DOWEL_PICTURES',
  'DOWEL_POSTGRES_BIN',
  'DOWEL_SEED',
  'DOWEL_SIM_HISTORIES',
  'DOWEL_SIM_SEED',
  'DOWEL_TEST_POSTGRES_TEMPLATE',
  'DOWEL_TEST_SQLITE_TEMPLATE',
  'DOWEL_TEST_POSTGRES_URL',
  'DOWEL_WITHOUT_CONTROL',
];
