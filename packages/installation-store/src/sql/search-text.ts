import { searchedTexts } from '@dowel/admin-api';

/** `installations.search_text`: a line each for the name, the host and the ids, folded. Begins with a line's end. */
export const searchTextOf = (installation: Parameters<typeof searchedTexts>[0]): string =>
  ['', ...searchedTexts(installation)].join('\n');
