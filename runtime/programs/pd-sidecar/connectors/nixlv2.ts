import { isObject } from "../../../epp/payload/json-body.ts";
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

/** vLLM's NixlConnector: the decoder receives the prefiller's transfer object unchanged. */
export const nixlv2: Connector = {
  order: "prefill-first",
  oneToken: true,
  legs: () => ({
    prefill,
    decode: ({ transfer }) =>
      transfer === undefined || !canBeFetched(transfer)
        ? undefined
        : { kv_transfer_params: transfer },
  }),
};

/**
 * Whether the decoder can fetch the blocks. An engine that is to fetch blocks but receives no block ids fails an
 * assertion and aborts all its requests (vLLM's update_state_after_alloc). Prefillers of another version return no
 * block ids for a prompt shorter than a block.
 */
function canBeFetched(transfer: Buffer): boolean {
  const params: unknown = JSON.parse(transfer.toString());
  if (!isObject(params)) return false;
  const { do_remote_prefill: fetches, remote_block_ids: blocks } = params;
  return !fetches || (Array.isArray(blocks) && blocks.length > 0);
}
