import type { ServerCredentials } from "@grpc/grpc-js";
import { type Listening, serveOnPort } from "../../endpoint-picker/serve.ts";
import type { ExtProcService } from "../../endpoint-picker/server/ext-proc-stream.ts";
import { stopServer } from "../../manager/termination.ts";

/** A port at which gateways ask for one pool. Who answers may change; streams stay with whom they began. */
export class PoolPort {
  readonly #listening: Listening;
  readonly #server: { current: Pick<ExtProcService, "serve"> };

  private constructor(listening: Listening, server: { current: Pick<ExtProcService, "serve"> }) {
    this.#listening = listening;
    this.#server = server;
  }

  /** @throws where something else listens */
  static async open(
    port: number,
    service: Pick<ExtProcService, "serve">,
    credentials: ServerCredentials,
  ): Promise<PoolPort> {
    const server = { current: service };
    const serve: ExtProcService["serve"] = (stream, headers) =>
      server.current.serve(stream, headers);
    return new PoolPort(await serveOnPort({ serve }, port, credentials, undefined), server);
  }

  /** Takes the streams to come. */
  use(service: Pick<ExtProcService, "serve">): void {
    this.#server.current = service;
  }

  /**
   * Takes no more streams; resolves when those that run have ended, or have been ended.
   *
   * @param within milliseconds for which they may go on
   */
  close(within: number): Promise<void> {
    return stopServer(this.#listening.server, within);
  }
}
