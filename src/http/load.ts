// How much work is in progress and how late the event loop runs, so that the server can refuse what it cannot serve.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { assert } from '../kernel/errors.js';
import { createOpenCount, type OpenCount } from '../kernel/open-count.js';

const MAX_IN_FLIGHT = 4_096;
const MAX_IN_FLIGHT_WHEN_LATE = 512;
const MAX_LOOP_DELAY_MS = 1_000;

export type LoadMeter = {
  /** Whether there is capacity for one more request. */
  enter(): boolean;
  leave(): void;
  /** Counts work for as long as it runs: a caller that disconnects does not end the work it started. */
  readonly during: OpenCount['during'];
  inFlight(): number;
};

/**
 * Past either bound `enter` answers false. A late event loop lowers the bound on requests in flight. The loop counts as late after two
 * late seconds in a row: one stall, such as a compilation, is no overload. With few requests in flight a slow loop means a slow
 * machine, and refusing requests would not help.
 */
export function createLoadMeter(app: FastifyInstance): LoadMeter {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let wasSlow = false;
  let isLate = false;
  const timer = setInterval(() => {
    const isSlow = delay.mean / 1e6 > MAX_LOOP_DELAY_MS;
    isLate = isSlow && wasSlow;
    wasSlow = isSlow;
    delay.reset();
  }, 1_000).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delay.disable();
  });
  let open = 0;
  const working = createOpenCount();
  const inFlight = () => Math.max(open, working.open());
  return {
    enter() {
      open += 1;
      return inFlight() <= (isLate ? MAX_IN_FLIGHT_WHEN_LATE : MAX_IN_FLIGHT);
    },
    leave() {
      open -= 1;
    },
    during: working.during,
    inFlight,
  };
}

/** A response that calls back when it is closed. An event listener for it would be added and removed with every request. */
export class WatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  onClose: (() => void) | undefined;

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'close') this.onClose?.();
    return super.emit(event, ...args);
  }
}

const LAST_REQUEST_MS = 1_000;

/**
 * Calls back once when a request has ended, also when its caller disconnected. A response queued behind another on the same connection
 * gets no event when that connection closes, so connections are watched as well. The server must make responses of `WatchedResponse`.
 *
 * While the service stops, idle connections are closed and others as soon as their last response has been sent: the framework closes
 * only those that are idle at one moment, and waits for the rest until their keep-alive time is over. A connection that is made
 * after that moment has a second to send its request.
 */
export function watchConnections(app: FastifyInstance): {
  onEnd(response: ServerResponse, onEnd: () => void): void;
  /** Whether no later request has arrived on the connection of the response, so that none is lost if it closes. */
  isNewest(response: ServerResponse): boolean;
} {
  const connections = new Map<Socket, Set<() => void>>();
  const newest = new WeakMap<Socket, ServerResponse>();
  let isStopping = false;
  app.server.on('connection', (socket) => {
    const open = new Set<() => void>();
    connections.set(socket, open);
    if (isStopping) setTimeout(() => open.size === 0 && socket.destroy(), LAST_REQUEST_MS).unref();
    socket.once('close', () => {
      connections.delete(socket);
      for (const end of open) end();
    });
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    for (const [socket, open] of connections) if (open.size === 0) socket.destroy();
  });
  return {
    onEnd(response, onEnd) {
      assert(response instanceof WatchedResponse, 'the server makes its own responses');
      const { socket } = response.req;
      const open = connections.get(socket) ?? new Set();
      const end = () => {
        if (!open.delete(end)) return;
        onEnd();
        if (isStopping && open.size === 0) socket.destroySoon();
      };
      open.add(end);
      newest.set(socket, response);
      response.onClose = end;
    },
    isNewest: (response) => newest.get(response.req.socket) === response,
  };
}
