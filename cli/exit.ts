// How a command ends: exit codes, and errors that carry one.

export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  notConfigured: 3,
  noAnswer: 4,
  serviceFailed: 5,
  waitedInVain: 6,
  interrupted: 130,
} as const;

/** Ends the command with a message on standard error and an exit code. */
export class Stop extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ends the command before anything is sent, and prints what would have been. */
export class DryRun extends Stop {
  constructor(curl: string) {
    super(EXIT.done, curl);
  }
}

export const usage = (message: string): Stop => new Stop(EXIT.usage, message);
