import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { messengerOf, noMessenger, sandboxMessenger, smsGatewayMessenger, smtpMessenger } from '../../../src/providers/messages.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { startSmsGateway } from '../../support/sms-gateway.js';

let mail: MailServer;
before(async () => {
  mail = await startMailServer();
});
after(() => mail.close());

const message = { channel: 'EMAIL', to: 'ada@example.com', subject: 'Your code', text: '123456 is your code.' } as const;

describe('mail over SMTP', () => {
  test('is sent from the address of the installation, or from the sender of the platform', async () => {
    const messenger = smtpMessenger({ url: mail.url, from: 'codes@switchyard.example' });
    await messenger.send(message);
    await messenger.send({ ...message, sender: { address: 'hello@app.example', name: 'App', replyTo: 'help@app.example' } });
    const [plain, signed] = mail.received.splice(0) as [(typeof mail.received)[number], (typeof mail.received)[number]];
    assert.deepEqual([plain.from, plain.to], ['codes@switchyard.example', ['ada@example.com']]);
    assert.match(plain.data, /^Subject: Your code$/m);
    assert.match(plain.data, /123456 is your code\./);
    assert.deepEqual([signed.from, signed.to], ['hello@app.example', ['ada@example.com']]);
    assert.match(signed.data, /^From: "?App"? <hello@app\.example>$/m);
    assert.match(signed.data, /^Reply-To: help@app\.example$/m);
  });

  test('an address with a comma is not sent to two recipients, and a subject cannot add headers', async () => {
    const messenger = smtpMessenger({ url: mail.url, from: 'codes@switchyard.example' });
    const sneaky = { ...message, to: 'ada@example.com,eve@example.com', subject: 'Your code\r\nBcc: eve@example.com' };
    await messenger.send(sneaky).catch(() => {});
    for (const { to, data } of mail.received.splice(0)) {
      assert.equal(to.length, 1);
      assert.doesNotMatch(data, /^Bcc:/m);
    }
  });

  test('SMS is not supported; an unavailable server is an error', async () => {
    const away = smtpMessenger({ url: 'smtp://127.0.0.1:1', from: 'codes@switchyard.example' });
    assert.deepEqual([away.canSend('EMAIL'), away.canSend('SMS')], [true, false]);
    await assert.rejects(away.send(message), { message: /^the mail could not be handed over: E[A-Z]+$/ });
  });

  test('a refusal tells the status alone: a mail server quotes the recipient, and a filter the mail', async () => {
    const messenger = smtpMessenger({ url: mail.url, from: 'codes@switchyard.example' });
    mail.refuse(true);
    try {
      await assert.rejects(messenger.send(message), (error: Error) => {
        assert.equal(error.message, 'the mail server answered 554');
        return error.cause === undefined && !String(error.stack).includes('123456');
      });
    } finally {
      mail.refuse(false);
    }
  });
});

describe('text messages over HTTP', () => {
  const secret = 'a shared secret of at least 32 characters';
  const text = { channel: 'SMS', to: '+4915112345678', subject: 'Your code', text: '123456 is your code.' } as const;

  test('are signed, and carry the same key at each attempt; the subject is for mail', async () => {
    const gateway = await startSmsGateway(secret);
    const messenger = smsGatewayMessenger({ url: gateway.url, secret });
    try {
      await messenger.send({ ...text, id: 'Message:1' });
      await messenger.send(text);
      assert.deepEqual(gateway.received, [
        { to: text.to, text: text.text, key: 'Message:1', isAuthentic: true },
        { to: text.to, text: text.text, key: undefined, isAuthentic: true },
      ]);
    } finally {
      await gateway.close();
    }
  });

  test('a refusal, a redirect and an absent gateway are errors that hold nothing of the message', async () => {
    const gateway = await startSmsGateway(secret);
    const messenger = smsGatewayMessenger({ url: gateway.url, secret, timeoutMs: 2_000 });
    const failure = () => messenger.send(text).then(() => 'sent', String);
    for (const status of [400, 500, 302, 307]) {
      gateway.answerWith(status);
      const error = await failure();
      assert.match(error, /^(Error: the SMS gateway answered \d+|TypeError: fetch failed)$/);
    }
    await gateway.close();
    assert.equal(await failure(), 'TypeError: fetch failed');
  });
});

test('each channel has a messenger of its own, or none', async () => {
  const gateway = await startSmsGateway('s');
  const both = messengerOf({
    EMAIL: smtpMessenger({ url: mail.url, from: 'codes@switchyard.example' }),
    SMS: smsGatewayMessenger({ url: gateway.url, secret: 's' }),
  });
  const none = messengerOf({ EMAIL: undefined });
  assert.deepEqual([both.canSend('EMAIL'), both.canSend('SMS'), none.canSend('EMAIL'), none.canSend('SMS')], [true, true, false, false]);
  mail.received.splice(0);
  await both.send(message);
  await both.send({ ...message, channel: 'SMS', to: '+4915112345678' });
  assert.deepEqual([mail.received[0]?.to, gateway.received[0]?.to], [[message.to], '+4915112345678']);
  await assert.rejects(none.send(message), /sends nothing over EMAIL/);
  await gateway.close();
});

test('the sandbox reports every channel as available; an installation without mail reports none and refuses to send', async () => {
  await sandboxMessenger.send(message);
  assert.equal(sandboxMessenger.canSend('SMS'), true);
  assert.equal(noMessenger.canSend('EMAIL'), false);
  await assert.rejects(noMessenger.send(message), /sends nothing over EMAIL/);
});
