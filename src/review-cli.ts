// `npm run review -- …`: the operator decides verifications that wait for people, and puts customers on hold.
import { parseArgs } from 'node:util';
import { connectHooks } from './compose.js';
import { installationSecrets, listPlatformIds, readClock } from './domains/core/platform/actions.js';
import { findCustomer } from './domains/identity/customers/actions.js';
import {
  decideVerification,
  findVerification,
  findWaiting,
  gatherPacket,
  lockVerification,
  moveByCompliance,
  type VerificationDeps,
} from './domains/identity/verifications/actions.js';
import { ApiError, describeError } from './kernel/errors.js';
import { type PlatformId, parseId } from './kernel/ids.js';
import { KYC_ERROR_TYPES, type KycDecision, type KycError } from './providers/kyc.js';
import { refuseExtra, runTool, type Takes, type ToolContext, ToolError, withDatabase } from './tool.js';

const USAGE = `usage:
  npm run review -- list
  npm run review -- show VERIFICATION_ID
  npm run review -- approve VERIFICATION_ID
  npm run review -- reject VERIFICATION_ID [--type TYPE] --reason TEXT
  npm run review -- ask VERIFICATION_ID --type TYPE --resource ID [--field FIELD] --reason TEXT
  npm run review -- hold CUSTOMER_ID
  npm run review -- release CUSTOMER_ID`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

type Flags = Readonly<Record<string, string | undefined>>;
type Subject = { readonly deps: VerificationDeps; readonly context: ToolContext; readonly text: string; readonly flags: Flags };

/** The platforms one after the other: a statement concerns one platform. */
async function* platformsOf({ db }: ToolContext): AsyncGenerator<PlatformId> {
  for (let ids = await listPlatformIds(db); ids.length > 0; ids = await listPlatformIds(db, ids.at(-1))) yield* ids;
}

/** The platform that has what the operator names. */
async function findPlatform(context: ToolContext, isThere: (platformId: PlatformId) => Promise<boolean>): Promise<PlatformId | undefined> {
  for await (const platformId of platformsOf(context)) if (await isThere(platformId)) return platformId;
  return undefined;
}

const nowOf = async ({ db }: ToolContext, platformId: PlatformId): Promise<Date> => (await readClock(db, platformId)).now;

async function verificationOf({ context, text }: Subject) {
  const id = parseId('Verification', text);
  const platformId = id && (await findPlatform(context, async (platform) => Boolean(await findVerification(context.db, platform, id))));
  if (!id || !platformId)
    throw new ToolError(`no verification ${text || '(none named)'}; \`npm run review -- list\` shows those that wait`);
  return { id, platformId, now: await nowOf(context, platformId) };
}

const COMMANDS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  list: async ({ context }) => {
    for await (const platformId of platformsOf(context))
      for (const { id, customerId, updatedAt } of await findWaiting(context.db, platformId))
        print(`${id}  ${customerId}  ${platformId}  waiting since ${updatedAt.toISOString()}`);
  },
  show: async (subject) => {
    const { id, platformId } = await verificationOf(subject);
    const { deps, context } = subject;
    await context.db.transaction(async (tx) => {
      const locked = await lockVerification(tx, platformId, id);
      if (!locked) throw new ToolError(`verification ${id} has ended with its customer`);
      const { customer, owners, documents } = await gatherPacket(tx, deps, platformId, locked.customer);
      // Identifiers stay masked or out: a terminal keeps what it shows.
      const people = owners.map(({ identifier: _plain, ...owner }) => owner);
      print(JSON.stringify({ verification: locked.verification, customer, owners: people, documents }, undefined, 2));
    });
  },
  approve: (subject) => decide(subject, () => ({ outcome: 'APPROVED' })),
  reject: (subject) =>
    decide(subject, (customerId) => ({
      outcome: 'REJECTED',
      errors: [{ resourceId: customerId, type: typeOf(subject.flags, 'APPLICANT_REJECTED'), reason: required(subject.flags, 'reason') }],
    })),
  ask: (subject) =>
    decide(subject, () => ({
      outcome: 'RESOLVE_ERRORS',
      errors: [
        {
          resourceId: required(subject.flags, 'resource'),
          type: typeOf(subject.flags),
          ...(subject.flags['field'] !== undefined && { field: subject.flags['field'] }),
          reason: required(subject.flags, 'reason'),
        },
      ],
    })),
  hold: (subject) => move(subject, 'PUT_ON_HOLD'),
  release: (subject) => move(subject, 'RELEASED'),
};

const TAKES: Readonly<Record<string, Takes>> = {
  list: { words: 0 },
  show: { words: 1 },
  approve: { words: 1 },
  reject: { words: 1, flags: ['type', 'reason'] },
  ask: { words: 1, flags: ['type', 'resource', 'field', 'reason'] },
  hold: { words: 1 },
  release: { words: 1 },
};

async function decide(subject: Subject, decisionOn: (customerId: string) => KycDecision): Promise<void> {
  const { id, platformId, now } = await verificationOf(subject);
  const outcome = await subject.context.db.transaction(async (tx) => {
    const locked = await lockVerification(tx, platformId, id);
    if (!locked) throw new ToolError(`verification ${id} has ended with its customer`);
    return decideVerification(tx, subject.deps, { platformId, id, decision: decisionOn(locked.customer.id), now });
  });
  if (!outcome.isApplied) throw new ToolError(`verification ${id} is ${outcome.verification.status} and waits for no decision`);
  print(`${id}  ${outcome.verification.status}`);
}

async function move({ context, text }: Subject, cause: 'PUT_ON_HOLD' | 'RELEASED'): Promise<void> {
  const id = parseId('Customer', text);
  const platformId =
    id && (await findPlatform(context, async (platform) => (await findCustomer(context.db, platform, id))?.deletedAt === null));
  if (!platformId) throw new ToolError(`no customer ${text || '(none named)'}`);
  const now = await nowOf(context, platformId);
  const customer = await context.db
    .transaction((tx) => moveByCompliance(tx, { platformId, customerId: id, cause, now }))
    .catch((error: Error) => {
      throw error instanceof ApiError && error.cause === undefined ? new ToolError(`${text}: ${error.message}`) : error;
    });
  print(`${text}  ${customer.verificationStatus}`);
}

function required(flags: Flags, name: string): string {
  const text = flags[name]?.trim();
  if (!text) throw new ToolError(`--${name} is needed\n${USAGE}`);
  return text;
}

function typeOf(flags: Flags, otherwise?: KycError['type']): KycError['type'] {
  const type = flags['type'] === undefined ? otherwise : KYC_ERROR_TYPES.find((known) => known === flags['type']);
  if (!type) throw new ToolError(`--type takes one of ${KYC_ERROR_TYPES.join(', ')}`);
  return type;
}

runTool(async () => {
  const text = { type: 'string' } as const;
  const { positionals, values } = (() => {
    try {
      return parseArgs({ allowPositionals: true, options: { type: text, reason: text, resource: text, field: text } });
    } catch (error) {
      throw new ToolError(`${describeError(error).message}\n${USAGE}`);
    }
  })();
  const [name = '', subject = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const takes = TAKES[name];
  if (!command || !takes) throw new ToolError(USAGE);
  refuseExtra(takes, positionals, values, USAGE);
  await withDatabase(async (context) => {
    const { config, db, custody, log } = context;
    const secrets = await installationSecrets(db, custody);
    const deps = connectHooks({ config, db, decisionDb: db, custody, secrets, log, url: () => '' });
    await command({ deps, context, text: subject, flags: values });
  });
});
