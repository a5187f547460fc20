import { lookup } from "node:dns";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { isIP, type LookupFunction } from "node:net";
import { hostPort } from "../../../scheduling/endpoint.ts";
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
  /** Which addresses it may have, those of its names too. */
  readonly reach: Reach;
  readonly security: RemoteSecurity;
  /** The connection was lost, or could not be made. */
  readonly onLost: (error: Error) => void;
}

/** Milliseconds within which a connection has to be there. */
const connectTimeoutMs = 600;

/** Bytes in flight of one stream and of all, as our own server has them. */
const streamWindowBytes = 2 ** 20;
const connectionWindowBytes = 2 ** 24;

/** One HTTP/2 connection to the picker of another cluster, shared by all streams and made again when it is lost. */
export class PickerConnection {
  readonly #options: PickerConnectionOptions;
  #session: ClientHttp2Session | undefined;
  /** Index of the address of the next connection: after a failure another one, which may be reached. */
  #at = 0;
  #closed = false;
  /** Why connections were lost. */
  readonly #failures = new WeakMap<ClientHttp2Session, Error>();

  constructor(options: PickerConnectionOptions) {
    this.#options = options;
  }

  /**
   * Opens an ext_proc stream; where there is no connection, its error says so later.
   *
   * @param mayLeave the picker may leave the stream when the request has its endpoint, and says so before its last answer
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
   * Asks the other end whether it is there. Where it does not answer in time the next stream gets a new connection;
   * where it does not answer in twice that time its connection is lost, and every stream on it ends.
   *
   * @param timeoutMs milliseconds
   * @throws Error that says why there is no answer
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

  /** The next stream gets a new connection; streams that are open end where they are. */
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
      // Streams of thousands of requests share it: the default of 10 MB refuses them.
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
    // A session tells nothing of a server that refuses the client's certificate, nor of one that just goes.
    session.socket.on("error", fail);
    session.socket.on("close", () => {
      if (!session.closed) fail(new Error("the connection was closed"));
    });
    session.on("close", () => clearTimeout(timer));
    return session;
  }
}

/** Names that resolve to an address which may not be reached have none. */
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
    // What the session has to say of it comes first.
    session.socket.once("close", () => setImmediate(closed));
  });
