// The groups of operations, in the order in which a reader meets them.

const TAGS = {
  'Platform Configuration':
    'What a platform has decided: currencies, webhook endpoint, fees, card and wallet settings. Read it first; most refusals that surprise a new integration follow from it.',
  'API Tokens':
    'Credentials of your servers. A token has permissions and may expire; its secret is shown once. Nobody can give a token a permission that they do not hold.',
  Customers:
    'The people and businesses you serve. A new customer gets its internal accounts at once, and is verified before money moves. Customers can be imported from a CSV file.',
  'Contact Verification': "Codes that prove that a customer's e-mail address or phone number is theirs.",
  'KYC/KYB Verifications':
    'Who a customer is: hosted links, beneficial owners of a business, and verifications that say what is still missing. A verification ends as approved or rejected, sometimes after a review by people.',
  Documents: 'Files that prove what a customer or beneficial owner states. Files are encrypted, and each reading is recorded.',
  'Internal Accounts':
    'Balances on the ledger, one per customer and currency, and those of the platform itself. Rule-based accounts pass money on by themselves. Embedded wallets are internal accounts whose keys belong to the end user.',
  'External Accounts':
    'Bank accounts, mobile wallets and crypto wallets outside the service. What `accountInfo` must contain depends on `accountType`. Ownership of a crypto wallet is proven by a signature.',
  'Periodic Statements':
    'Months that are over, with opening balance, changes and closing balance that add up, and the record that a statement was delivered.',
  'Embedded Wallet Auth':
    'How end users sign in to an embedded wallet and what their keys sign: credentials, sessions, and delegated keys that sign card payments for them.',
  'Strong Customer Authentication':
    'Second factors of customers in regulated regions: enrolment, login, trusted beneficiaries, and the authorization of a payment.',
  'Exchange Rates': 'What one currency costs in another now, fees included. A quote fixes a rate.',
  Discoveries: 'Which banks and mobile wallets can be paid in a country and currency.',
  'Same-Currency Transfers': 'Money from an external account in, and out again, without exchange.',
  'Cross-Currency Transfers':
    'Payments by quote: look up a receiver, get a price that holds for a short time, then execute it. The quote names every fee before anything moves.',
  Transactions:
    'Everything that moved or will move money: incoming and outgoing payments and card transactions. An incoming payment may wait for your approval.',
  Invitations: 'Invitations of your customers to people who have no UMA address yet. An invitation is claimed once, and moves no money.',
  Cards:
    'Cards funded by internal accounts or embedded wallets: issue, freeze, close, limits, PIN, digital wallets. Card data is shown on pages of the issuer and never passes through your servers.',
  'Card Issuer':
    'Called by the processor of a card issuer, not by platforms: authorization decisions within a deadline, and network messages. Requests are signed with an issuer credential.',
  Stablecoins: 'Your own stablecoin: register it, link a provider account, mint and burn.',
  'Agent Management':
    'Agents act for a customer within a policy. Here you create them, set their limits, and decide what waits for approval. Experimental: this group may change.',
  'Agent Operations':
    'Called by an agent with its own access token. It sees and moves what its policy allows, and nothing else of the platform.',
  Requests: 'What your servers asked and what they were answered in the last days: the list, one request with its bodies, and the stream.',
  Webhooks: 'Events: the log with every attempt to deliver, repeats, the stream, and the keys that verify deliveries.',
  Sandbox:
    'Plays the other parties, in sandbox only: deposits, card networks, verification outcomes, exchange rates, messages to end users, and the clock.',
} as const;

export type Tag = keyof typeof TAGS;

/** The groups that have operations, in order. */
export const tagsOf = (operations: readonly { readonly tag: Tag }[]): { readonly name: Tag; readonly description: string }[] => {
  const used = new Set(operations.map(({ tag }) => tag));
  return (Object.keys(TAGS) as Tag[]).filter((name) => used.has(name)).map((name) => ({ name, description: TAGS[name] }));
};
