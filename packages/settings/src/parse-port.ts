/**
 * Reads a port. Undefined when the text is no port from 1 to 65535 in decimal digits.
 *
 * @example
 * const port = parsePort('4310'); // 4310; undefined for '0' and '70000'
 */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
