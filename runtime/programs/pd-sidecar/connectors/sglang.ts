import { randomInt } from "node:crypto";
import type { Connector } from "./connector.ts";

/** Number of bootstrap rooms. A double holds each room id exactly; `randomInt` accepts ranges below 2^48. */
const bootstrapRooms = 2 ** 48 - 1;

/**
 * SGLang's disaggregation: both engines get the client's request and find each other by a bootstrap room, an id on the
 * prefiller's bootstrap server.
 *
 * @param bootstrapPort port of the prefillers' bootstrap servers, `--disaggregation-bootstrap-port`
 */
export const sglang = (bootstrapPort: number): Connector => ({
  order: "at-once",
  oneToken: false,
  legs({ host }) {
    const meeting = {
      bootstrap_host: JSON.stringify(host),
      bootstrap_port: String(bootstrapPort),
      bootstrap_room: String(randomInt(bootstrapRooms)),
    };
    return { prefill: meeting, decode: () => meeting };
  },
});
