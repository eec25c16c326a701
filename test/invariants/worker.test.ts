// The worker serves every platform. A failure of one platform does not affect another.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Job } from '../../src/db/job.js';
import type { PlatformId } from '../../src/kernel/ids.js';
import { startWorker } from '../../src/worker.js';
import { startTestService, type TestService } from '../support/service.js';
import { platformIdOf } from '../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startTestService({ ROLE: 'api' });
});
after(() => service.stop());

test('a job that fails for one platform runs for the others, and the failure is logged with the platform', async () => {
  const broken = await platformIdOf(service, await service.newPlatform());
  const fine = await platformIdOf(service, await service.newPlatform());
  const warned: unknown[] = [];
  let served: (platformId: PlatformId) => void = () => {};
  const reached = new Promise<PlatformId>((resolve) => {
    served = resolve;
  });
  const job: Job = {
    name: 'brittle',
    nextDue: async () => [broken, fine].map((platformId) => ({ platformId, at: new Date(0) })),
    run: async (_db, platformId) => {
      if (platformId === broken) throw new Error('broken');
      served(platformId);
      return 1;
    },
  };
  const worker = startWorker(service.db, [job], { warn: (fields: object) => void warned.push(fields) } as never, { pollMs: 1 });
  assert.equal(await reached, fine);
  await worker.stop();
  assert.deepEqual(warned[0], { job: 'brittle', platformId: broken, errorMessage: 'broken' });
});
