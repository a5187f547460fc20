import { randomUUID } from "node:crypto";
import type { Connector } from "./connector.ts";

/**
 * The peer-to-peer tier of vLLM's OffloadingConnector: the decoder fetches the blocks of a request id
 * from the prefiller's tier.
 *
 * @param port port of that tier, `--p2p-connector-port`
 */
export const offloading = (port: number): Connector => ({
  order: "at-once",
  oneToken: true,
  legs({ host }) {
    const id = { kv_request_id: randomUUID() };
    const params = (value: object) => ({ kv_transfer_params: JSON.stringify(value) });
    return {
      prefill: params({ remote_decoder: id }),
      decode: () => params({ remote_prefiller: { ...id, remote_host: host, remote_port: port } }),
    };
  },
});
