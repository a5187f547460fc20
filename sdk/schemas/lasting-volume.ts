import { z } from "zod";
import { named } from "./argument.ts";
import { text } from "./resources.ts";

export const LastingVolume = named(
  "LastingVolume",
  z.strictObject({
    claim: text
      .optional()
      .describe("Name of a PersistentVolumeClaim, which the replicas of all roles share."),
    hostPath: z
      .string()
      .startsWith("/")
      .optional()
      .describe("Directory on the nodes, such as a local SSD."),
  }),
).describe("Volume that outlives pods: either a claim or a directory on the nodes.");

export type LastingVolume = z.infer<typeof LastingVolume>;
