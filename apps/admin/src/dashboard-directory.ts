import { fileURLToPath } from 'node:url';

/** The folder of the built pages, for the option `dashboard` of `createServer`. */
export const dashboardDirectory: string = fileURLToPath(new URL('../dist', import.meta.url));
