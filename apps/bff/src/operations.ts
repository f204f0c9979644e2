/** The operations of the sample plug-in. */
import { createNotification } from '@dowel/server';

export const operations = { createNotification };
