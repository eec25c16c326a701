import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noMessenger, sandboxMessenger, smtpMessenger } from '../../../src/providers/messages.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';

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
    await assert.rejects(away.send(message));
  });
});

test('the sandbox reports every channel as available; an installation without mail reports none and refuses to send', async () => {
  await sandboxMessenger.send(message);
  assert.equal(sandboxMessenger.canSend('SMS'), true);
  assert.equal(noMessenger.canSend('EMAIL'), false);
  await assert.rejects(noMessenger.send(message), /sends nothing over EMAIL/);
});
