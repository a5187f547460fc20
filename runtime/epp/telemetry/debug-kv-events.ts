import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";

/** Returns the state of the KV events of each endpoint, which shows operators whether a cache is known or estimated. */
export function debugKvEvents(
  index: KvIndex,
  endpoints: readonly Endpoint[],
  problemOf: (endpoint: Endpoint, rank: number) => string | undefined,
) {
  return endpoints.flatMap((endpoint) =>
    index.streams(endpoint).map(({ state, last, counts, blocks }, rank) => {
      const { size, blockSize, bytes, unused, otherKinds } = blocks;
      return {
        id: endpoint.id,
        address: endpoint.address,
        // An address may serve several ranks.
        rank,
        answers: index.blocks(endpoint) === undefined ? "estimate" : "events",
        state,
        problem: problemOf(endpoint, rank) ?? null,
        lastMessage: last ?? null,
        ...counts,
        blocks: size,
        blockTokens: blockSize ?? null,
        bytes,
        unused,
        // Layer kinds whose blocks are ignored. A model with such layers may be unable to reuse some of the counted
        // blocks.
        otherLayers: [...otherKinds],
      };
    }),
  );
}
