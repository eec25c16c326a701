// The commands of a service of another version, from its document.
import { EXIT, Stop } from './exit.js';
import { operationTable } from './operations.js';
import { type Table, tableFrom } from './table.js';

export async function tableOf(url: string): Promise<Table> {
  const response = await fetch(url).catch((error: Error) => {
    throw new Stop(EXIT.noAnswer, `No answer from ${url}: ${error.message}`);
  });
  const document: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  if (!document || typeof document !== 'object' || !('paths' in document))
    throw new Stop(EXIT.refused, `${url} is no API document (status ${response.status})`);
  return tableFrom(operationTable(document));
}
