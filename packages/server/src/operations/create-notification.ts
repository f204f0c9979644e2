import { notificationSchema } from '@dowel/schema';
import { z } from 'zod';
import { defineOperation } from './define-operation.ts';

/**
 * Lets the plug-in's page notify any user of its tenant, with a text of the page's choice. Put it into the table
 * of operations only if the page may do that. Its limits are the settings for notifications, which it shares with
 * `platform.notify` of other operations.
 */
export const createNotification = defineOperation({
  summary: 'Notifies one user of the platform.',
  input: notificationSchema,
  output: z.strictObject({}),
  scopes: ['plugin:notify'],
  async run({ input, platform }) {
    await platform.notify(input);
    return {};
  },
});
