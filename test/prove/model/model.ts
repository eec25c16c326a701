// Random histories across the whole service, compared with models that are written from the specification. Each kind of history has the
// operations of some domains; together they call every operation of the document.
import type { Client } from '../../support/client.js';
import type { TestService } from '../../support/service.js';
import { readDocument } from '../document.js';
import { type Random, randomOf } from '../random.js';
import { coverage, type Outcome } from '../report.js';
import { AccessHistory } from './access.js';
import { AccountReadsHistory } from './account-reads.js';
import { AgentHistory } from './agents.js';
import { CardHistory } from './cards.js';
import { DestinationHistory } from './destinations.js';
import type { History } from './history.js';
import { IdentityHistory } from './identity.js';
import { InvitationHistory } from './invitations.js';
import { IssuingHistory } from './issuing.js';
import { type Kind, OPERATIONS } from './operations.js';
import { PaymentHistory } from './payments.js';
import { PlatformHistory } from './platform.js';
import { ProcessorHistory } from './processor.js';
import { ReceiverHistory } from './receivers.js';
import { SandboxHistory } from './sandbox.js';
import { ScaHistory } from './sca.js';
import { StablecoinHistory } from './stablecoins.js';
import { VendorHistory } from './vendor.js';
import { WebhookHistory } from './webhooks.js';

export type ModelOptions = {
  readonly seed: string;
  readonly histories: number;
  readonly commands: number;
  /** Only the histories of this kind. */
  readonly only?: string | undefined;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

export const KINDS: Readonly<Record<Kind, new (service: TestService, platform: Client, random: Random) => History>> = {
  access: AccessHistory,
  cards: CardHistory,
  accounts: AccountReadsHistory,
  platform: PlatformHistory,
  sandbox: SandboxHistory,
  webhooks: WebhookHistory,
  agents: AgentHistory,
  receivers: ReceiverHistory,
  identity: IdentityHistory,
  invitations: InvitationHistory,
  vendor: VendorHistory,
  payments: PaymentHistory,
  destinations: DestinationHistory,
  sca: ScaHistory,
  stablecoins: StablecoinHistory,
  issuing: IssuingHistory,
  processor: ProcessorHistory,
};

/** Every eighth history is run twice. The number of kinds is no multiple of it, so each kind has its turn. */
const TWICE_EVERY = 8;

const LEAST_OF_A_KIND = 20;

/** Each history has its own platform. The kinds take turns. */
export async function model(
  service: TestService,
  { seed, histories, commands, only, until = Number.POSITIVE_INFINITY, onProgress }: ModelOptions,
): Promise<Outcome[]> {
  const kinds = Object.entries(KINDS).filter(([name]) => only === undefined || name === only);
  const done = { commands: 0, answers: 0, histories: 0, events: 0, twice: 0 };
  const failures = { answers: [] as string[], ends: [] as string[], twice: [] as string[] };
  const [known, taken] = [new Set<string>(), new Set<string>()];
  const called = new Set<string>();
  const owed = kinds.flatMap(([name]) => OPERATIONS[name as Kind].map((id) => `${name} ${id}`));
  const progress = setInterval(() => onProgress?.(`${done.histories} histories, ${done.commands} commands`), 10_000);
  for (let i = 0; i < histories && Date.now() < until && failures.answers.length + failures.ends.length < 5; i += 1) {
    const [name, Kind] = kinds[i % kinds.length] as (typeof kinds)[number];
    const live = async () => {
      const history = new Kind(service, await service.newPlatform(), randomOf(`${seed}/model/${name}/${i}`));
      const told = (error: Error) =>
        `seed ${seed}, ${name} history ${i}, after ${history.trace.slice(-12).join('; ')}: ${error.message.slice(0, 2_000)}`;
      const isRun = await history.run(commands).then(
        () => true,
        (error: Error) => failures.answers.push(told(error)) < 0,
      );
      const events = isRun ? await history.end().catch((error: Error) => void failures.ends.push(told(error))) : [];
      await history.close();
      return { history, events: events ?? [] };
    };
    const { history, events } = await live();
    done.events += events.length;
    if (i % TWICE_EVERY === 0) {
      done.twice += 1;
      const again = await live();
      if (again.events.join() !== events.join()) failures.twice.push(`seed ${seed}, ${name} history ${i}: ${events} then ${again.events}`);
    }
    done.histories += 1;
    done.commands += history.trace.length;
    done.answers += history.answers;
    for (const command of Object.keys(history.commands())) known.add(`${name} ${command}`);
    for (const line of history.trace) taken.add(`${name} ${line.split(' ')[0]}`);
    for (const id of history.called) called.add(`${name} ${id}`);
  }
  clearInterval(progress);
  const tooShort = done.histories < LEAST_OF_A_KIND * kinds.length ? `fewer than ${LEAST_OF_A_KIND} histories of each kind` : undefined;
  return [
    {
      goal: 'model: every response agrees with the model',
      trials: done.answers,
      failures: failures.answers,
      note: `${done.commands.toLocaleString('en-US')} commands in ${done.histories} histories, seed ${seed}`,
    },
    {
      goal: 'model: at the end the ledger balances, nothing is held or under way, statements add up, and the events are as expected',
      trials: done.histories,
      failures: failures.ends,
      note: `${done.events.toLocaleString('en-US')} events`,
    },
    { goal: 'model: the same history gives the same events', trials: done.twice, failures: failures.twice },
    coverage('model: every kind of command was run', [...known], taken, tooShort),
    coverage('model: every operation was called by a command that compared its answers', owed, called, tooShort),
  ];
}

/** Operations without a model: none can be added. */
export function unmodelled({ contract }: TestService): string[] {
  const modelled = new Set<string>(Object.values(OPERATIONS).flat());
  return readDocument(contract.document).operations.flatMap(({ id }) => (modelled.has(id) ? [] : [id]));
}
