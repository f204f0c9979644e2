/** Where the dashboard is: `/admin/`, or below the path of the back end's public URL, which it writes into the page. */
export const basePath =
  document.querySelector<HTMLMetaElement>('meta[name="dowel-path"]')?.content ?? '/admin/';
