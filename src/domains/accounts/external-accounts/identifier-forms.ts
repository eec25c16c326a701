// The form of identifiers that carry check digits, whatever the digits are. In sandbox a value of the right form is taken with a
// warning, so that made-up identifiers and magic endings can be used. Pure.
import { isSandboxSpark, isZeroEvmAddress } from './addresses.js';
import { hasIbanForm, hasRoutingNumberForm } from './identifiers.js';

const hasForm =
  (...patterns: RegExp[]) =>
  (text: string): boolean =>
    text.length <= 2_000 && patterns.some((pattern) => pattern.test(text));

const hasEvmForm = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text) && !isZeroEvmAddress(text);
const hasBitcoinForm = hasForm(/^bc1[02-9ac-hj-np-z]{39}$/, /^spark1[02-9ac-hj-np-z]{62}$/, /^[13][1-9A-HJ-NP-Za-km-z]{25,33}$/);

/** By the name of the format in `account-types.ts`. A format that is not listed has no check digits. */
const FORMS: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ['iban', hasIbanForm],
  ['aba-routing-number', hasRoutingNumberForm],
  ['clabe', hasForm(/^[0-9]{18}$/)],
  ['cpf-or-cnpj', hasForm(/^[0-9]{11}$/, /^[0-9]{14}$/)],
  ['pix-CPF', hasForm(/^[0-9]{11}$/)],
  ['pix-CNPJ', hasForm(/^[0-9]{14}$/)],
  ['base-address', hasEvmForm],
  ['ethereum-address', hasEvmForm],
  ['polygon-address', hasEvmForm],
  ['plasma-address', hasEvmForm],
  ['arbitrum-address', hasEvmForm],
  ['tron-address', hasForm(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)],
  // The sandbox's own deposit addresses are of a test network.
  ['spark-or-bitcoin-address', (text: string) => hasBitcoinForm(text) || isSandboxSpark(text)],
  ['bolt11', hasForm(/^lnbc([1-9][0-9]*[munp]?)?1[02-9ac-hj-np-z]{117,}$/)],
]);

export const hasRightForm = (format: unknown, text: string): boolean => FORMS.get(format)?.(text) ?? false;
