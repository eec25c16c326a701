// The command line beside a service that the tests of a file share.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before } from 'node:test';
import type { Client } from '../support/client.js';
import { startTestService, type TestService } from '../support/service.js';
import { type Ended, emptyHome, environmentOf, run } from './run.js';

export type CommandLine = {
  readonly home: string;
  readonly service: TestService;
  readonly env: Record<string, string>;
  /** Runs a command on the platform of the service. */
  sy(...args: string[]): Promise<Ended>;
  /** What a command that succeeds prints. */
  done(...args: string[]): Promise<string>;
  /** Runs a command on another platform. */
  as(platform: Client, ...args: string[]): Promise<Ended>;
};

/** Starts the service before the tests of the file, and removes the home after them. */
export function commandLine(): CommandLine {
  const home = emptyHome();
  let started: TestService | undefined;
  before(async () => {
    started = await startTestService();
  });
  after(async () => {
    rmSync(home, { recursive: true, force: true });
    await started?.stop();
  });
  const service = (): TestService => {
    assert.ok(started, 'tests run after the service has started');
    return started;
  };
  const sy = (...args: string[]) => run(args, environmentOf(service(), home));
  return {
    home,
    get service() {
      return service();
    },
    get env() {
      return environmentOf(service(), home);
    },
    sy,
    async done(...args) {
      const { code, out, err } = await sy(...args);
      assert.equal(code, 0, err);
      return out;
    },
    as: (platform, ...args) => run(args, environmentOf({ baseUrl: service().baseUrl, platform }, home)),
  };
}
