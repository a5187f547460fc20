import { lookup } from "node:dns";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { isIP, type LookupFunction } from "node:net";
import { hostPort } from "../../../scheduling/endpoints/endpoint.ts";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { extProcPath, relayHeader } from "../../epp/server/ext-proc-service.ts";
import type { RemoteAddress } from "./remote-cluster.ts";
import type { RemoteSecurity } from "./remote-security.ts";
import { explainTls } from "./remote-tls.ts";

export interface PickerConnectionOptions {
  /** Addresses of one picker, tried in turn. */
  readonly addresses: readonly RemoteAddress[];
  /** Name of its Service. */
  readonly service: string;
  readonly cluster: string;
  /** Allowed addresses of the picker, also after name resolution. */
  readonly reach: Reach;
  readonly security: RemoteSecurity;
  /** Called when the connection is lost or cannot be opened. */
  readonly onLost: (error: Error) => void;
}

/** Timeout for opening a connection, in ms. */
const connectTimeoutMs = 600;

/** Flow-control windows of a stream and of the connection, in bytes, as in this project's server. */
const streamWindowBytes = 2 ** 20;
const connectionWindowBytes = 2 ** 24;

/** One HTTP/2 connection to the picker of another cluster, shared by all streams and reopened when it is lost. */
export class PickerConnection {
  readonly #options: PickerConnectionOptions;
  #session: ClientHttp2Session | undefined;
  /** Index of the address for the next connection. A failure advances it, because another address may be reachable. */
  #at = 0;
  #closed = false;
  /** Reason for the loss of each connection. */
  readonly #failures = new WeakMap<ClientHttp2Session, Error>();

  constructor(options: PickerConnectionOptions) {
    this.#options = options;
  }

  /**
   * Opens an ext_proc stream. If there is no connection, the stream fails later with that error.
   *
   * @param mayLeave whether the picker may end the stream once the request has its endpoint, and announces its last
   *   response
   */
  open(mayLeave = false, hops = 0): ClientHttp2Stream {
    return this.#live().request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: extProcPath,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
      [constants.HTTP2_HEADER_TE]: "trailers",
      ...(mayLeave && { [relayHeader]: "true" }),
      ...(hops > 0 && { [hopsHeader]: String(hops) }),
    });
  }

  /**
   * Pings the picker. If it does not respond in time, the next stream gets a new connection. If it does not respond
   * within twice that time, the connection and all its streams end.
   *
   * @throws Error with the reason why there is no response
   */
  async probe(timeoutMs: number): Promise<void> {
    const session = this.#live();
    if (session.connecting) await connected(session);
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        if (session === this.#session) {
          this.renew();
          this.#at += 1;
        }
        reject(new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      const lost = setTimeout(() => {
        session.destroy(new Error(`no answer within ${2 * timeoutMs} ms`));
      }, 2 * timeoutMs);
      const settle = (error: Error | null) => {
        clearTimeout(late);
        clearTimeout(lost);
        if (error === null) resolve();
        else reject(explainTls(this.#failures.get(session) ?? error));
      };
      if (!session.ping(settle)) settle(new Error("the connection is closing"));
    });
  }

  /** Opens a new connection for the next stream; open streams stay on the old one. */
  renew(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  close(): void {
    this.#closed = true;
    this.renew();
  }

  #live(): ClientHttp2Session {
    const session = this.#session;
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    this.#session = this.#connect();
    return this.#session;
  }

  #connect(): ClientHttp2Session {
    const { addresses, service, cluster, reach, security, onLost } = this.#options;
    const address = addresses[this.#at % addresses.length] as RemoteAddress;
    const problem = isIP(address.host) === 0 ? undefined : reach(address.host);
    if (problem !== undefined) {
      this.#at += 1;
      throw new Error(`${hostPort(address.host, address.port)} ${problem}`);
    }
    const session = connect(`${security.scheme}://${hostPort(address.host, address.port)}`, {
      ...security.optionsFor({ service, cluster, host: address.host }),
      lookup: lookupWithin(reach),
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
      // Thousands of streams share the session; the default of 10 MB would refuse them.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    const timer = setTimeout(
      () => session.destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    session.on("connect", () => {
      clearTimeout(timer);
      session.setLocalWindowSize(connectionWindowBytes);
    });
    const fail = (error: Error) => {
      if (this.#failures.has(session)) return;
      this.#failures.set(session, error);
      this.#at += 1;
      if (!this.#closed) onLost(at(address, error));
    };
    session.on("error", fail);
    // A session reports neither a refused client certificate nor a server that disappears; its socket does.
    session.socket.on("error", fail);
    session.socket.on("close", () => {
      if (!session.closed) fail(new Error("the connection was closed"));
    });
    session.on("close", () => clearTimeout(timer));
    return session;
  }
}

/** DNS lookup that drops addresses that are not allowed, and fails if no address is left. */
export const lookupWithin =
  (reach: Reach): LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "");
      const problems = found.map(({ address }) => reach(address));
      const kept = found.filter((_, at) => problems[at] === undefined);
      const [first] = kept;
      if (first === undefined)
        return done(new Error(`${host} is ${found[0]?.address}, which ${problems[0]}`), "");
      if (options.all) return done(null, kept);
      done(null, first.address, first.family);
    });

const at = (address: RemoteAddress, error: Error): Error =>
  Object.assign(
    new Error(`${hostPort(address.host, address.port)}: ${explainTls(error).message}`, {
      cause: error,
    }),
    { code: (error as NodeJS.ErrnoException).code },
  );

const connected = (session: ClientHttp2Session): Promise<void> =>
  new Promise((resolve, reject) => {
    session.once("connect", () => resolve());
    session.once("error", (error) => reject(explainTls(error)));
    const closed = () => reject(new Error("the connection was closed"));
    session.once("close", closed);
    // Delayed, so that an error of the session is reported first.
    session.socket.once("close", () => setImmediate(closed));
  });
