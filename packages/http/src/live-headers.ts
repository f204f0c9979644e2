/**
 * The headers of an answer whose pieces must arrive at once. By default nginx passes an answer on when a buffer is full
 * or the answer ends, and a proxy may compress it.
 *
 * @example
 * response.writeHead(200, { 'Content-Type': 'text/event-stream', ...liveHeaders('no-store') });
 *
 * @param cacheControl the value of the answer's Cache-Control, which is kept. '': none.
 */
export function liveHeaders(cacheControl: string): Record<string, string> {
  const values = cacheControl.split(',').map((value) => value.trim());
  const added = values.includes('no-transform') ? values : [...values, 'no-transform'];
  return {
    'Cache-Control': added.filter((value) => value !== '').join(', '),
    'X-Accel-Buffering': 'no',
  };
}
