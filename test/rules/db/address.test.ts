// The URL of a database with one or several hosts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../../src/db/address.js';

const hostsOf = (url: string) => addressOf(url).hosts.map(({ host, port }) => `${host} ${port}`);

test('one host is left to the driver, whatever else the URL says', () => {
  for (const url of [
    'postgres://u:p%40w@db.example:6432/name?sslmode=verify-full',
    'postgresql:///db?host=/var/run',
    'postgres://[::1]/db',
  ])
    assert.deepEqual({ ...addressOf(url), hosts: [] }, { url, hosts: [], isChosen: false });
  assert.equal(addressOf('postgres://h/db?target_session_attrs=any').url, 'postgres://h/db');
  assert.equal(addressOf('postgres://h/db?a=1&target_session_attrs=any&b=2').url, 'postgres://h/db?a=1&b=2');
});

test('several hosts are listed with their ports, in the forms of libpq', () => {
  assert.deepEqual(hostsOf('postgres://u:p@one:5433,two,[::1]:7/db'), ['one 5433', 'two 5432', '::1 7']);
  assert.deepEqual(hostsOf('postgres://u@/db?host=/run/a,/run/b&port=1,2'), ['/run/a 1', '/run/b 2']);
  assert.deepEqual(hostsOf('postgres://u@/db?host=one,two&port=6432'), ['one 6432', 'two 6432']);
});

test('the rest of a URL with several hosts is what the driver gets', () => {
  const { url, isChosen } = addressOf('postgresql://u:p%40w@one,two/db?sslmode=verify-full&target_session_attrs=read-write');
  assert.deepEqual([url, isChosen], ['postgresql://u:p%40w@localhost/db?sslmode=verify-full', true]);
});

test('target_session_attrs=read-write or primary asks also a single host whether it takes writes', () => {
  for (const value of ['read-write', 'primary']) assert.equal(addressOf(`postgres://one/db?target_session_attrs=${value}`).isChosen, true);
});

test('what cannot be read, and a server that takes no writes, are refused', () => {
  for (const url of [
    'http://one,two/db',
    'one,two',
    'postgres://one:x,two/db',
    'postgres://one:70000,two/db',
    'postgres:///db?host=a,b,c&port=1,2',
  ])
    assert.throws(() => addressOf(url));
  for (const value of ['standby', 'read-only', 'prefer-standby', 'x'])
    assert.throws(() => addressOf(`postgres://one,two/db?target_session_attrs=${value}`), /takes no writes/);
});
