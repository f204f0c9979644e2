export { ConfigError } from './configuration.ts';
