// Histories whose commands take several steps: what they need first, and several attempts. All steps of a command are one line of the trace.
import { type Command, History } from './history.js';

export abstract class ComposedHistory extends History {
  private isTold = false;

  /** The methods with these names, as commands. */
  protected commandsOf<Kind extends string>(
    weights: Readonly<Record<Kind, number>>,
    methods: Readonly<Record<Kind, () => Promise<void>>>,
  ): Readonly<Record<Kind, Command>> {
    const command = (kind: Kind): Command => [
      weights[kind],
      () => {
        this.isTold = false;
        return methods[kind].call(this);
      },
    ];
    return Object.fromEntries((Object.keys(weights) as Kind[]).map((kind) => [kind, command(kind)])) as Record<Kind, Command>;
  }

  protected override note(kind: string, ...details: readonly unknown[]): void {
    if (!this.isTold) super.note(kind, ...details);
    else this.trace.push([this.trace.pop(), 'and', kind, ...details].join(' '));
    this.isTold = true;
  }

  /** Does it once, and sometimes several times. */
  protected async often(work: () => Promise<void>, chance: number, most: number): Promise<void> {
    const times = this.random.chance(chance) ? this.random.int(2, most) : 1;
    for (let i = 0; i < times; i += 1) await work();
  }

  /** A time to wait, often exactly until one of these instants, or a millisecond less. */
  protected waitFor(instants: readonly number[], otherwise: readonly number[]): number {
    const ahead = this.any(instants.filter((at) => at > this.now + 1 && at < Number.POSITIVE_INFINITY));
    return ahead !== undefined && this.random.chance(0.5) ? ahead - this.now - this.random.int(0, 1) : this.random.pick(otherwise);
  }
}
