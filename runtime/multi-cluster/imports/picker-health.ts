import { Client, credentials } from "@grpc/grpc-js";
import { hostPort } from "../../../scheduling/endpoints/endpoint.ts";
import { healthCheck, healthStatus } from "../../manager/health/health-service.ts";
import type { RemoteAddress } from "./remote-cluster.ts";

/** grpc-js waits up to two minutes before it reconnects; two probes per second need a shorter delay. */
const reconnectSoon = {
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 500,
  "grpc.enable_channelz": 0,
};

/** Client of a picker's health service, in plaintext, as pickers serve it for probes. */
export class PickerHealth {
  readonly #clients: readonly Client[];

  /** @param addresses addresses of one picker; it is healthy if one of them is */
  constructor(addresses: readonly RemoteAddress[]) {
    this.#clients = addresses.map(
      ({ host, port }) =>
        new Client(hostPort(host, port), credentials.createInsecure(), reconnectSoon),
    );
  }

  /** @throws Error if no address reports in time that it serves */
  async check(timeoutMs: number): Promise<void> {
    try {
      await Promise.any(this.#clients.map((client) => serves(client, timeoutMs)));
    } catch (error) {
      throw (error as AggregateError).errors[0];
    }
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

const { path, requestSerialize, responseDeserialize } = healthCheck;

const serves = (client: Client, timeoutMs: number) =>
  new Promise<void>((resolve, reject) => {
    const where = client.getChannel().getTarget();
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      // The empty name requests the status of the whole process.
      "",
      { deadline: Date.now() + timeoutMs },
      (error, response) => {
        if (error !== null)
          reject(new Error(`health at ${where}: ${error.details || error.message}`));
        else if (response === healthStatus.serving) resolve();
        else reject(new Error(`health at ${where}: not serving`));
      },
    );
  });
