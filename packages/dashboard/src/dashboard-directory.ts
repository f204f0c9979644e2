/** The folder of the dashboard's built pages. They are built by apps/admin, and copied by `scripts/copy-pages.ts`. */
import { fileURLToPath } from 'node:url';

/** The folder of the built pages, for the option `dashboard` of `createServer`. */
export const dashboardDirectory: string = fileURLToPath(new URL('../dist', import.meta.url));
