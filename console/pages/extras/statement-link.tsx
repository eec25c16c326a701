// From an account to its months.
import type { Item } from '../../api.ts';
import { encoded } from '../../resources/shared.ts';
import { hrefOf } from '../../route.ts';

export const StatementLink = ({ account }: { readonly account: Item }) => (
  <p>
    <a href={hrefOf(`/statements?accountId=${encoded(account)}`)}>Entries in order, with the balance after each, and statements by month</a>
  </p>
);
