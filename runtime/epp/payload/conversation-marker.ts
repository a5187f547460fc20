import { FieldRewriter } from "./field-rewriter.ts";

/** Bytes of the longest id that is marked, with its quotes. */
const longest = 512;

/** Adds a mark to the id of a conversation, in the answer of the model server that has made it. */
export class ConversationMarker extends FieldRewriter {
  constructor(mark: string) {
    super({
      ...{ field: "id", kind: "string", sse: false, longest },
      rewrite: (id) =>
        id.length > longest ? undefined : Buffer.from(`${id.toString().slice(0, -1)}${mark}"`),
    });
  }
}
