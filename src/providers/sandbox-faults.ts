// The providers of the sandbox, going wrong on purpose. Which fault applies depends on the platform that is served, and most providers are
// not told which it is: the request or job runs inside `withProviderFaults` if its platform has any faults.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type CardIssuer, IssuerRefused, IssuerSilent } from './card-issuer.js';
import { type KycProvider, rejection } from './kyc.js';
import type { OrderKind, RailProvider, ScheduledMessage } from './rails.js';
import { IssuerUnreachable, type StablecoinIssuer } from './stablecoin-issuer.js';

export const PROVIDERS = ['CARD_ISSUER', 'RAIL', 'KYC', 'STABLECOIN_ISSUER'] as const;
export type ProviderName = (typeof PROVIDERS)[number];
export type ProviderFault = { readonly kind: 'REFUSES' | 'SLOW' | 'SILENT'; readonly delayMs: number };
/**
 * The fault of the next call of the provider, if it has one. A fault that is taken is counted. `isAfterwards`: the answer of the request does
 * not depend on the call, and does not name the fault.
 */
export type TakeProviderFault = (provider: ProviderName, isAfterwards: boolean) => Promise<ProviderFault | undefined>;

const current = new AsyncLocalStorage<{ readonly take: TakeProviderFault; readonly isJob: boolean }>();

/** A job waits for nobody in real time: other work waits for it. */
export const withProviderFaults = <Result>(take: TakeProviderFault, isJob: boolean, work: () => Result): Result =>
  current.run({ take, isJob }, work);

const taken = async (provider: ProviderName, isAfterwards = false): Promise<ProviderFault | undefined> =>
  current.getStore()?.take(provider, isAfterwards);
const hasFaults = (): boolean => current.getStore() !== undefined;
const isJob = (): boolean => current.getStore()?.isJob ?? false;

const WHY = 'a fault of the sandbox';

type Call<Args extends unknown[], Result> = (...args: Args) => Promise<Result>;
type Slow<Args extends unknown[], Result> = (delayMs: number, call: Call<Args, Result>) => Call<Args, Result>;

/** A caller waits in real time. What a job asks for again has waited already. */
const inRealTime =
  <Args extends unknown[], Result>(delayMs: number, call: Call<Args, Result>): Call<Args, Result> =>
  async (...args) => {
    if (!isJob()) await pause(delayMs);
    return call(...args);
  };

/** What a call does: as without a fault, after a while, or one of two failures. */
const faulty =
  <Args extends unknown[], Result>(
    provider: ProviderName,
    call: Call<Args, Result>,
    refuse: () => Result,
    fallSilent: () => never,
    slow: Slow<Args, Result> = inRealTime,
    isAfterwards: (...args: Args) => boolean = () => false,
  ): Call<Args, Result> =>
  async (...args) => {
    const fault = await taken(provider, isAfterwards(...args));
    if (fault?.kind === 'REFUSES') return refuse();
    if (fault?.kind === 'SILENT') return fallSilent();
    return (fault ? slow(fault.delayMs, call) : call)(...args);
  };

const earlier = (now: Date, ms: number): Date => new Date(now.getTime() - ms);

export function faultyCardIssuer(issuer: CardIssuer): CardIssuer {
  const silent = (): never => {
    throw new IssuerSilent(WHY);
  };
  const refused = (): never => {
    throw new IssuerRefused(WHY);
  };
  const wrap = <Args extends unknown[], Result>(call: Call<Args, Result>) => faulty('CARD_ISSUER', call, refused, silent);
  return {
    order: faulty(
      'CARD_ISSUER',
      issuer.order,
      () => ({ kind: 'REJECTED' }),
      silent,
      // A repeated order is answered once the time has passed on the platform's clock.
      (delayMs, call) => (order, now) =>
        !order.repeated ? inRealTime(delayMs, call)(order, now) : earlier(now, delayMs) < order.orderedAt ? silent() : call(order, now),
      // A card is ordered once it is committed.
      () => true,
    ),
    instruct: faulty('CARD_ISSUER', issuer.instruct, refused, silent, inRealTime, ({ isAfterwards = false }) => isAfterwards),
    setPin: wrap(issuer.setPin),
    unblockPin: wrap(issuer.unblockPin),
    tokenize: wrap(issuer.tokenize),
    openDetailsPage: wrap(issuer.openDetailsPage),
    openPinPage: wrap(issuer.openPinPage),
  };
}

export function faultyStablecoinIssuer(issuer: StablecoinIssuer): StablecoinIssuer {
  const unreachable = (): never => {
    throw new IssuerUnreachable(WHY);
  };
  const wrap = <Args extends unknown[], Result>(call: Call<Args, Result>, refuse: () => Result = unreachable, slow?: Slow<Args, Result>) =>
    faulty('STABLECOIN_ISSUER', call, refuse, unreachable, slow);
  return {
    verify: wrap(issuer.verify, () => ({ kind: 'REFUSED' })),
    findToken: wrap(issuer.findToken),
    // Slow progress: what is asked for later is as far as it was a while ago, by the platform's clock.
    followToken: wrap(
      issuer.followToken,
      unreachable,
      (delayMs, call) => (account, token, times) => call(account, token, { ...times, now: earlier(times.now, delayMs) }),
    ),
    linkAccount: wrap(issuer.linkAccount, () => ({ kind: 'REFUSED' })),
    order: wrap(issuer.order, () => ({ kind: 'REFUSED' })),
    follow: wrap(issuer.follow, unreachable, (delayMs, call) => (account, orderId, now) => call(account, orderId, earlier(now, delayMs))),
    cancel: wrap(issuer.cancel),
  };
}

const FAILURE: Readonly<Record<OrderKind, string>> = {
  QUOTE: 'QUOTE_EXECUTION_FAILED',
  TRANSFER: 'QUOTE_EXECUTION_FAILED',
  FORWARD: 'OFFRAMP_FAILED',
};

/** A rail answers by messages, so it is slow by the platform's clock and silent by sending none. */
export function faultyRails(rails: RailProvider): RailProvider {
  const outcome = async (
    call: () => Promise<readonly ScheduledMessage[]>,
    refusal: Omit<ScheduledMessage, 'id' | 'afterMs'>,
  ): Promise<readonly ScheduledMessage[]> => {
    const fault = await taken('RAIL');
    if (fault?.kind === 'REFUSES') return [{ id: 'fault', afterMs: 0, ...refusal }];
    if (fault?.kind === 'SILENT') return [];
    return (await call()).map((message) => ({ ...message, afterMs: message.afterMs + (fault?.delayMs ?? 0) }));
  };
  const unlessFaulty = async (call: () => Promise<boolean>): Promise<boolean> => {
    const fault = await taken('RAIL');
    return fault === undefined || fault.kind === 'SLOW' ? call() : false;
  };
  return {
    networkFee: rails.networkFee,
    submit: (tx, payout) => outcome(() => rails.submit(tx, payout), { kind: 'FAILED', reason: FAILURE[payout.kind] }),
    collect: (tx, debit) => outcome(() => rails.collect(tx, debit), { kind: 'COLLECTION_FAILED' }),
    refund: (tx, order) => outcome(() => rails.refund(tx, order), { kind: 'REFUND_FAILED' }),
    attach: (tx, attachment) => unlessFaulty(() => rails.attach(tx, attachment)),
    cancel: (tx, order) => unlessFaulty(() => rails.cancel(tx, order)),
  };
}

export const faultyKyc = (kyc: KycProvider): KycProvider => ({
  ...kyc,
  screen(subject) {
    const usual = kyc.screen(subject);
    // A business is not screened at creation.
    if (subject.customerType === 'BUSINESS' || !hasFaults()) return usual;
    return taken('KYC').then((fault) => (fault === undefined ? usual : fault.kind === 'REFUSES' ? 'REJECTED' : 'PENDING'));
  },
  async submit(application) {
    const usual = await kyc.submit(application);
    const fault = await taken('KYC');
    if (fault === undefined) return usual;
    if (fault.kind === 'REFUSES') return { decision: { outcome: 'REJECTED', errors: [rejection(application.customerId)] } };
    const { later } = usual;
    return {
      decision: { outcome: 'IN_PROGRESS' },
      ...(fault.kind === 'SLOW' && later && { later: { ...later, afterMs: later.afterMs + fault.delayMs } }),
    };
  },
});
