// What a withdrawal to a wallet would cost.
import type { Db } from '../../../db/pool.js';
import { invalidField } from '../../../kernel/errors.js';
import { type PlatformId, parseId } from '../../../kernel/ids.js';
import type { RailProvider } from '../../../providers/rails.js';
import type { RateProvider } from '../../../providers/rates.js';
import { isAddressOn } from '../../accounts/external-accounts/actions.js';
import { getInternalAccount } from '../../accounts/internal-accounts/actions.js';
import { checkWithdrawal, type WithdrawalFee, withdrawalFee } from './rules.js';

export type WithdrawalRequest = {
  readonly internalAccountId: string;
  readonly currency: string;
  readonly cryptoNetwork: string;
  readonly amount: number;
  readonly destinationAddress: string;
};

export async function estimateWithdrawal(
  { db, rates, rails }: { readonly db: Db; readonly rates: RateProvider; readonly rails: RailProvider },
  platformId: PlatformId,
  request: WithdrawalRequest,
): Promise<WithdrawalFee> {
  const account = await getInternalAccount(db, platformId, parseId('InternalAccount', request.internalAccountId));
  const { currency, cryptoNetwork: network, destinationAddress } = request;
  const amount = BigInt(request.amount);
  checkWithdrawal({ account, currency, network, isAddressOfNetwork: isAddressOn(network, destinationAddress), amount });
  const fee = rails.networkFee(network);
  if (!fee) throw invalidField('cryptoNetwork', 'cannot be used for withdrawals');
  return withdrawalFee(fee, rates.table, currency, amount);
}
