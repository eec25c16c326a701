// The form of UMA addresses, `$name@domain`, and of the domains that platforms have for them.

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const ADDRESS = new RegExp(`^\\$[a-z0-9._+-]{1,64}@(${LABEL}(?:\\.${LABEL})*)$`);

/** Whether messages can be sent to the domain. A URL takes `1.2` for an IPv4 address, and cannot have `bank.4` or broken Punycode as its host. */
export function isUmaDomain(domain: string): boolean {
  const url = `https://${domain}`;
  return URL.canParse(url) && new URL(url).hostname === domain.toLowerCase();
}

/** The domain of an address in lower case; undefined if the text is no UMA address. */
export function domainOfUma(text: string): string | undefined {
  const domain = ADDRESS.exec(text.toLowerCase())?.[1];
  return domain !== undefined && isUmaDomain(domain) ? domain : undefined;
}
