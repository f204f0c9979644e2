/** Read by tests and tools. A program accepts them in its environment. */
export const otherVariables: readonly string[] = [
  'DOWEL_CHROMIUM',
  'DOWEL_TESTS',
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
