// A time of the API as people read it, in UTC.
export const time = (text: string): string => text.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '');
