/**
 * The bytes of a base64url text, or `undefined` for other spellings that a lenient decoder would
 * decode to the same bytes: padding, white space, `+` and `/`, unused bits that are set (RFC 8725bis §3.14).
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
