/** The path of the console's pages. */
export const BASE = '/console';

export const hrefOf = (path: string): string => BASE + path;
