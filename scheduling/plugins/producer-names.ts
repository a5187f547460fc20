import { z } from "zod";

/** Parameters by which plugins say whose data they read. */

export const prefixMatchInfoProducerName = z
  .string()
  .optional()
  .describe("Name of an approx-prefix-cache-producer or of a precise one; otherwise the first.");

/** Requests on their way are counted once, in one place. */
export const inFlightLoadProducerName = z.string().optional().describe("Not used.");
