import { z } from 'zod';

/** Epoch milliseconds. */
export const pointInTime = z.int().nonnegative();

/** How many. */
export const count = z.int().nonnegative();
