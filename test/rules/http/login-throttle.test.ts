import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLoginThrottle, networkOf } from '../../../src/http/login-throttle.js';

const PER_MINUTE = 20;

/** A throttle on a clock that the test moves. `login` answers whether the attempt was checked. */
function given() {
  let now = 1_000_000;
  const begin = createLoginThrottle(PER_MINUTE, () => now);
  const login = (secret: string, { clientId = 'token', address = '192.0.2.1' } = {}): boolean => {
    try {
      begin({ clientId, address, secret })(secret === 'right');
      return true;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'RATE_LIMITED');
      return false;
    }
  };
  const guess = (times: number, where = {}) => Array.from({ length: times }, () => login('wrong', where)).filter(Boolean).length;
  const wait = (ms: number): void => {
    now += ms;
  };
  return { begin, login, guess, wait };
}

describe('a guesser at one address', () => {
  test('has ten attempts checked at once, then twenty a minute', () => {
    const { guess, wait } = given();
    assert.equal(guess(50), 10);
    wait(2_999);
    assert.equal(guess(5), 0);
    wait(1);
    assert.equal(guess(5), 1);
    wait(60_000 * 60);
    assert.equal(guess(50), 10);
  });

  test('is told when the next attempt is checked', () => {
    const { begin, guess } = given();
    guess(10);
    assert.throws(() => begin({ clientId: 'token', address: '192.0.2.1', secret: 'x' }), { headers: { 'retry-after': '3' } });
  });

  test('gains nothing from attempts in parallel', () => {
    const { begin, guess } = given();
    assert.equal(guess(9), 9);
    const attempt = { clientId: 'token', address: '192.0.2.1', secret: 'wrong' };
    const end = begin(attempt);
    assert.throws(() => begin(attempt), { code: 'RATE_LIMITED' });
    end(false);
    // A first burst is checked as a whole and made up for afterwards.
    const burst = given();
    const ends = Array.from({ length: 500 }, () => burst.begin(attempt));
    for (const each of ends) each(false);
    burst.wait(60_000);
    assert.equal(burst.guess(1), 0);
    burst.wait(60_000 * 5);
    assert.equal(burst.guess(1), 1);
  });

  test('an attempt that could not be checked is no failure', () => {
    const { begin, guess } = given();
    for (let i = 0; i < 20; i += 1) begin({ clientId: 'token', address: '192.0.2.1', secret: 'x' })(undefined);
    assert.equal(guess(50), 10);
  });
});

describe('a good client is not locked out', () => {
  test('at another address', () => {
    const { login, guess } = given();
    guess(50);
    assert.equal(login('right', { address: '192.0.2.2' }), true);
  });

  test('with another client id at the address of the guesser', () => {
    const { login, guess } = given();
    guess(50);
    assert.equal(login('right', { clientId: 'other' }), true);
  });

  test('at the address of the guesser, once it has logged in from there', () => {
    const { login, guess } = given();
    assert.equal(login('right'), true);
    guess(500);
    for (let i = 0; i < 100; i += 1) assert.equal(login('right'), true);
    assert.equal(login('wrong'), false);
  });

  test('at the address of the guesser, without a login before: it waits like the guesser', () => {
    const { login, guess, wait } = given();
    guess(10);
    assert.equal(login('right'), false);
    wait(3_000);
    assert.equal(login('right'), true);
    assert.equal(guess(50), 1, 'a success takes nothing from the allowance');
    assert.equal(login('right'), true);
  });

  test('that sends many first requests at once', () => {
    const { begin } = given();
    const attempt = { clientId: 'token', address: '192.0.2.1', secret: 'right' };
    const ends = Array.from({ length: 500 }, () => begin(attempt));
    for (const end of ends) end(true);
  });
});

test('memory is bounded: the oldest pairs are forgotten', () => {
  const { guess } = given();
  guess(10);
  for (let i = 0; i < 10_000; i += 1) guess(1, { clientId: `t${i}` });
  assert.equal(guess(50), 10);
});

test('addresses of one IPv6 network count as one, and an IPv4 address as itself', () => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ] as const)
    assert.equal(networkOf(address), network);
});
