import { z } from "zod";

/** Parameters by which plugins say whose data they read. */

export const prefixMatchInfoProducerName = z
  .string()
  .optional()
  .describe("Name of the approximate or precise prefix cache producer. Default: the first one.");

/** Requests on their way are counted once, in one place. */
export const inFlightLoadProducerName = z.string().optional().describe("Not used.");
