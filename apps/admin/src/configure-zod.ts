/**
 * Keeps zod from compiling parsers: the content security policy forbids eval. zod decides when a schema
 * is created, so import this before the first schema.
 */
import { config } from 'zod';

config({ jitless: true });
