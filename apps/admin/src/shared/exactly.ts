/** For links that are current only with the same filters, so that a page has one current link of a kind. */
export const exactly = { exact: true, includeSearch: true } as const;
