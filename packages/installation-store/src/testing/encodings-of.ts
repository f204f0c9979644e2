/**
 * The encodings in which a leaked secret may appear. For base64, only the part that is the same at each of the
 * three offsets.
 */
export function encodingsOf(secret: string): Buffer[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(' '.repeat(offset) + secret)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [
    secret,
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]
    .map((text) => Buffer.from(text))
    .concat(Buffer.from(secret, 'utf16le'), Buffer.from(secret, 'utf16le').swap16());
}
