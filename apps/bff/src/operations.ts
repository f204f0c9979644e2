/** What the sample plug-in's pages may call. */
import { createNotification } from '@dowel/server';

export const operations = { createNotification };
