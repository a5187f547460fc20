import { z } from "zod";

/** Parameters in which plugins name the producer of their data. */

export const prefixMatchInfoProducerName = z
  .string()
  .optional()
  .describe("Name of the approximate or precise prefix cache producer. Default: the first one.");

/** In-flight requests are counted in one place, so this name has no effect. */
export const inFlightLoadProducerName = z.string().optional().describe("Not used.");
