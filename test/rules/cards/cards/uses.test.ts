// Card details, digital wallets, issuer pages and the PIN.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CARD_STATUSES, type Card, type CardStatus, PIN_STATUSES } from '../../../../src/domains/cards/cards/card.js';
import {
  blockPin,
  canVisit,
  noted,
  type PinChanged,
  pinPageOrigin,
  refusePinManagement,
  refuseReveal,
  refuseTokenization,
  setPin,
  unblockPin,
} from '../../../../src/domains/cards/cards/rules.js';
import { cardOf, changed, NOW, programOf } from '../../../support/card.js';
import { refusalBy } from '../../../support/refusal.js';

describe('card details and digital wallets', () => {
  const full = programOf('service_full');
  const basic = programOf('service_basic');

  test('details are shown of a provisioned card that is not closed, if the program has it', () => {
    const shown = (card: Partial<Card>, program = full) => refusalBy(() => refuseReveal(cardOf(card), program));
    assert.equal(shown({ status: 'CLOSED', details: null }, basic), 'CONFLICT CARD_CLOSED');
    assert.equal(shown({ details: null }, basic), 'CONFLICT REVEAL_NOT_SUPPORTED');
    assert.equal(shown({ details: null }), 'CONFLICT CARD_NOT_PROVISIONED');
    for (const status of ['PENDING', 'ACTIVE', 'FROZEN'] as const) assert.equal(shown({ status }), 'allowed', status);
  });

  test('only an ACTIVE card is added to a digital wallet, if the program has it', () => {
    const added = (status: CardStatus, program = full) => refusalBy(() => refuseTokenization(cardOf({ status }), program));
    assert.deepEqual(
      CARD_STATUSES.map((status) => [status, added(status), added(status, basic)]),
      [
        ...['PENDING_KYC', 'PROCESSING', 'PENDING'].map((each) => [
          each,
          'CONFLICT CARD_NOT_ACTIVE',
          'CONFLICT TOKENIZATION_NOT_SUPPORTED',
        ]),
        ['ACTIVE', 'allowed', 'CONFLICT TOKENIZATION_NOT_SUPPORTED'],
        ['FROZEN', 'CONFLICT CARD_NOT_ACTIVE', 'CONFLICT TOKENIZATION_NOT_SUPPORTED'],
        ['CLOSED', 'CARD_NOT_MUTABLE', 'CARD_NOT_MUTABLE'],
      ],
    );
  });

  test('an issuer page is open until its pass expires or the card is closed', () => {
    const later = new Date(NOW.getTime() + 1);
    assert.deepEqual(
      [
        canVisit(cardOf(), later, NOW),
        canVisit(cardOf(), NOW, NOW),
        canVisit(cardOf({ status: 'FROZEN' }), later, NOW),
        canVisit(cardOf({ status: 'CLOSED' }), later, NOW),
        canVisit(cardOf({ details: null }), later, NOW),
      ],
      [true, false, true, false, false],
    );
  });

  test('a noted use of a card is a new version and nothing else', () => {
    assert.deepEqual(noted(cardOf()), { ...cardOf(), version: 8 });
  });
});

describe('the PIN', () => {
  test('is managed on a card that is not closed, whose program has PINs, once it is provisioned', () => {
    const managed = (card: Partial<Card>) => refusalBy(() => refusePinManagement(cardOf(card)));
    assert.equal(managed({ status: 'CLOSED', pinStatus: null, details: null }), 'CARD_NOT_MUTABLE');
    assert.equal(managed({ pinStatus: null, details: null }), 'CONFLICT PIN_NOT_SUPPORTED');
    assert.equal(managed({ details: null }), 'CONFLICT CARD_NOT_PROVISIONED');
    for (const status of ['PENDING', 'ACTIVE', 'FROZEN'] as const) assert.equal(managed({ status }), 'allowed', status);
  });

  test('its page needs the origin that the platform has set, after the card itself was judged', () => {
    assert.equal(pinPageOrigin(cardOf(), 'https://app.example'), 'https://app.example');
    for (const unset of [null, undefined, ''])
      assert.equal(
        refusalBy(() => pinPageOrigin(cardOf(), unset)),
        'CONFLICT PIN_TARGET_ORIGIN_NOT_SET',
      );
    assert.equal(
      refusalBy(() => pinPageOrigin(cardOf({ status: 'CLOSED' }), null)),
      'CARD_NOT_MUTABLE',
    );
  });

  test('every status and event; a changed status alone is announced', () => {
    const events: readonly ((card: Card, now: Date) => PinChanged)[] = [setPin, unblockPin, blockPin];
    const table = PIN_STATUSES.map((pinStatus) => [
      pinStatus,
      ...events.map((event) => {
        const card = cardOf({ pinStatus });
        let outcome = '';
        const refused = refusalBy(() => {
          const after = event(card, NOW);
          assert.deepEqual(after.card, changed(card, { pinStatus: after.card.pinStatus }));
          outcome = `${after.card.pinStatus}${after.announce ? ' announced' : ''}`;
        });
        return refused === 'allowed' ? outcome : refused;
      }),
    ]);
    assert.deepEqual(table, [
      //          set             unblocked          blocked
      ['NOT_SET', 'OK announced', 'CONFLICT PIN_NOT_SET', 'CONFLICT PIN_NOT_SET'],
      ['OK', 'OK', 'OK', 'BLOCKED announced'],
      ['BLOCKED', 'OK announced', 'OK announced', 'BLOCKED'],
    ]);
    for (const event of events)
      assert.equal(
        refusalBy(() => event(cardOf({ pinStatus: null }), NOW)),
        'CONFLICT PIN_NOT_SUPPORTED',
      );
  });
});
