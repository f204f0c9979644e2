export type JsonPath = readonly (string | number)[];

/** RFC 6901. */
export function jsonPointer(path: JsonPath): string {
  return path
    .map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
