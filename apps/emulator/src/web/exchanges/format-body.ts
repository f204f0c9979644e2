/** JSON with line breaks, or a form with a line for each field; any other body as it is. */
export function formatBody(contentType: string, body: string): string {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`).join('\n');
  }
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
