import type { Connector } from "./connector.ts";

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

/** vLLM's NixlConnector: the decoder is given the object that the prefiller answers with, whatever is in it. */
export const nixlv2: Connector = {
  order: "prefill-first",
  oneToken: true,
  legs: () => ({
    prefill,
    decode: ({ transfer }) =>
      transfer === undefined ? undefined : { kv_transfer_params: transfer },
  }),
};
