import type { Connector } from "./connector.ts";
import { isTransferOf } from "./nixl-transfer.ts";

const prefill = {
  kv_transfer_params: JSON.stringify({
    do_remote_decode: true,
    do_remote_prefill: false,
    remote_engine_id: null,
    remote_block_ids: null,
    remote_host: null,
    remote_port: null,
  }),
};

/** vLLM's NixlConnector: the decoder receives the prefiller's transfer object unchanged, if it may. */
export const nixlv2: Connector = {
  order: "prefill-first",
  oneToken: true,
  legs: ({ host }) => ({
    prefill,
    decode: ({ transfer }) =>
      transfer === undefined || !isTransferOf(host, transfer)
        ? undefined
        : { kv_transfer_params: transfer },
  }),
};
