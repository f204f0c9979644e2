/** The path of the dashboard: `/admin/`, or below the path of the public URL, which the back end inserts into the page. */
export const basePath =
  document.querySelector<HTMLMetaElement>('meta[name="dowel-path"]')?.content ?? '/admin/';
