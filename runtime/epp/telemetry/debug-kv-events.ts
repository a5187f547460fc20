import type { Endpoint } from "../../../scheduling/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";

/** What each endpoint's KV events come to right now, for a person who asks whether caches are known or estimated. */
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
        // An address may have several ranks behind it.
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
        // Their blocks are not looked at: what is said of the others may be more than such a model can reuse.
        otherLayers: [...otherKinds],
      };
    }),
  );
}
