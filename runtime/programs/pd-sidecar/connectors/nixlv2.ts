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

/** vLLM's NixlConnector: the decoder is given the object that the prefiller answers with, whatever else is in it. */
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
 * An engine that is to fetch blocks and is told none ends by an assertion, with all of its requests (vLLM's
 * update_state_after_alloc). Prefillers of another version answer so for a prompt shorter than a block.
 */
function canBeFetched(transfer: Buffer): boolean {
  const params: unknown = JSON.parse(transfer.toString());
  if (!isObject(params)) return false;
  const { do_remote_prefill: fetches, remote_block_ids: blocks } = params;
  return !fetches || (Array.isArray(blocks) && blocks.length > 0);
}
