/** The manifest URL that the server suggests in the page, or an empty text. */
export function readSampleManifestUrl(): string {
  return (
    document.querySelector<HTMLMetaElement>('meta[name="dowel-sample-manifest"]')?.content ?? ''
  );
}
