import type { Connector } from "./connector.ts";
import { refusedField } from "./nixl-transfer.ts";

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
    decode: ({ transfer }, onRefused) => {
      if (transfer === undefined) return undefined;
      const field = refusedField(host, transfer);
      if (field === undefined) return { kv_transfer_params: transfer };
      onRefused(field);
      return undefined;
    },
  }),
};
