import { pageFlags } from "../../../epp/flags/pages.ts";
import { poolFlags } from "../../../epp/flags/pool.ts";
import { servingFlags } from "../../../epp/flags/serving.ts";
import { tlsFlags } from "../../../epp/flags/tls.ts";
import type { FlagTable, FlagValues } from "../../../manager/flags/command-line.ts";
import { tracingFlags } from "../../../manager/tracing/flags.ts";
import {
  importFlags,
  parentFlags,
  remoteFlags,
} from "../../../multi-cluster/import-picker/flags.ts";
import { scalingFlags } from "./scaling.ts";
import { schedulingFlags } from "./scheduling.ts";
import { acceptedFlags, refusedFlags } from "./without-effect.ts";

/**
 * Flags of the endpoint picker: the flags of the upstream picker (llm-d-router, pkg/epp/server/options.go) with the
 * same names and defaults, so that its manifests start this picker unchanged, and a few additional ones.
 */
export const flags = {
  pool: poolFlags,
  import: importFlags,
  remote: remoteFlags,
  parent: parentFlags,
  scheduling: schedulingFlags,
  scaling: scalingFlags,
  serving: servingFlags,
  tls: tlsFlags,
  pages: pageFlags,
  tracing: tracingFlags,
  accepted: acceptedFlags,
  refused: refusedFlags,
} satisfies FlagTable;

export type Values = FlagValues<typeof flags>;
