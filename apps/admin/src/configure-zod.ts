/**
 * zod may not compile its parsers: the content security policy forbids eval. It decides when a
 * schema is made, so this is imported before the first one.
 */
import { config } from 'zod';

config({ jitless: true });
