// The signature of requests between this installation and the services that its operator connects.
import { createHmac } from 'node:crypto';

/** HMAC-SHA256 in hex over `<timestamp>.<body>`; the timestamp is in seconds since 1970. */
export const signatureOf = (secret: string, timestamp: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
