/** The back end of the poll. It also serves the page built by `npm run build`. */
import { createServer } from '@dowel/server';
import { hooks } from './hooks.ts';
import { menuWebhook } from './menu-webhook.ts';
import { operations } from './operations.ts';
import { settingsSchema } from './settings.ts';

const server = createServer({
  operations,
  hooks,
  config: settingsSchema,
  publicRoutes: menuWebhook(process.env.MENU_WEBHOOK_SECRET),
  frontend: { directory: 'dist' },
});
const { url } = await server.start();
server.log.info({ url }, 'plugin.started');
