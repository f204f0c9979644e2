import type { Exchange } from '@dowel/emulator/control-api';

/** curl sets them by itself. */
const ownHeaders = ['host', 'connection', 'content-length', 'accept-encoding'];

/** The request as a command for a POSIX shell. It contains the secrets of the exchange. */
export function toCurl({ method, url, headers, body }: Exchange): string {
  const lines = [
    `curl -i -X ${method} ${quote(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !ownHeaders.includes(name.toLowerCase()))
      .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
