// Which texts are URIs. `URL.canParse` alone repairs what is none: it drops spaces and line ends, and escapes what must be written escaped.

/** A character of a path, query or fragment (RFC 3986). */
const CHARACTER = "(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})";
/** Only the host may have brackets, around an IPv6 address. */
const SHAPE = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:(?://\\[[0-9A-Fa-f:.]+\\])?${CHARACTER}*(?:#${CHARACTER}*)?$`);

export const isUri = (text: string): boolean => SHAPE.test(text) && URL.canParse(text);
